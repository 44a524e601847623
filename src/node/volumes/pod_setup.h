// What a pod needs before its containers can start: the ConfigMaps and Secrets it names, read from
// the API server, and its volumes on the disk.
//
// Owned by a pod worker, on the client's executor; nothing is called after destruction. Volumes are
// made below one directory, which the worker's files remove; host paths are used where they are.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "client/api_client.h"
#include "env/containers.h"
#include "env/files.h"
#include "node/container/environment.h"
#include "node/pod/pod_objects.h"

namespace windlass::node {

// A volume as containers can mount it.
struct VolumePlace {
  std::string path;        // on the host; of memory, its name
  bool read_only = false;  // whatever the mount says
  // It is memory of this many bytes, or of as many as the kernel gives for 0.
  std::optional<uint64_t> memory_bytes = {};
  std::optional<uint32_t> group = {};  // of memory: whose it is
};
// A file on the host that stands at `target` in every container of a pod.
struct NetworkFile {
  std::string path;
  std::string target;
};
using VolumePlaces = std::map<std::string, VolumePlace>;  // by name

class PodSetup {
 public:
  struct Host {
    client::ApiClient& api;
    env::Files& files;
    const env::ContainerSupport& support;
    const HostFacts& facts;
  };
  using Done = std::function<void(const Result<void>&)>;

  // `spec` outlives it.
  PodSetup(Host host, const PodSpecView& spec, std::string directory);
  PodSetup(const PodSetup&) = delete;
  PodSetup& operator=(const PodSetup&) = delete;

  // Reads the objects and makes the volumes; those of a pod that has run already are left as they
  // are. The error is the one of a FailedMount event (disruption.md K-18). `done` runs once, within
  // the call where nothing has to be read.
  void prepare(bool has_run, Done done);
  // Reads the objects again. One that is not there is no error here.
  void read_objects(Done done);
  // Reads the objects again and brings the volumes that are made of them up to date. One that is
  // not there any more leaves its volume as it is.
  void refresh(Done done);
  // Brings the volumes up to date that are made of the pod's own fields; `spec` has changed.
  Result<void> update_fields();

  const PodObjects& objects() const { return objects_; }
  const VolumePlaces& volumes() const { return volumes_; }
  const std::vector<NetworkFile>& network_files() const { return network_files_; }

 private:
  struct Written {
    uint64_t hash = 0;
    size_t bytes = 0;
  };

  void read_next();
  void on_object(const Result<client::ObjectPtr>& object);
  Result<void> make_volumes(bool has_run);
  Result<void> make_network_files();
  Result<void> make_network_file(const std::string& target, const std::string& text);
  Result<VolumePlace> make_volume(const VolumePlan& volume, bool has_run);
  Result<VolumePlace> check_host_path(const VolumePlan& volume);
  Result<void> update_files(const VolumePlan& volume);

  Host host_;
  const PodSpecView& spec_;
  const std::string directory_;
  std::vector<ObjectName> to_read_;
  PodObjects reading_;
  PodObjects objects_;
  VolumePlaces volumes_;
  std::vector<NetworkFile> network_files_;
  std::map<std::string, Written> written_;  // the files of volumes, by name
  size_t written_bytes_ = 0;
  Done done_;
  WeakSelf<PodSetup> self_{this};
};

}  // namespace windlass::node
