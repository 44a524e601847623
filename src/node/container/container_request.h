// What the supervisor is asked to run for a container of a pod. A pure function.
#pragma once

#include <string>

#include "env/containers.h"
#include "node/container/environment.h"
#include "node/pod/pod_spec_view.h"
#include "node/volumes/pod_setup.h"

namespace windlass::node {

struct ContainerPlace {
  std::string id;        // of the run
  std::string work_dir;  // of the pod; where a container works that names no directory
  std::string log_path;
  const VolumePlaces& volumes;
  std::string root = {};          // of its image; "" is the host's
  std::string layer = {};         // takes what is written to `root`
  std::string message_file = {};  // what its terminationMessagePath is there; "" is nothing
  std::vector<NetworkFile> network_files = {};
  std::vector<std::string> private_directories = {};  // hidden, on the host's root
  bool host_root_writable = false;                    // otherwise only what is mounted in it
  uint64_t max_pids = 0;
};

// Whether a container is to find a file at its terminationMessagePath. On the root of an image it
// always does. On the host's own a file in /dev costs a /dev of its own, so there its command or
// environment has to name the usual path; another path is asked for by naming it in the pod.
bool wants_message_file(const ContainerSpecView& container, const ContainerCommand& command,
                        bool own_root, const env::ContainerSupport& support);

// An error is for good: the container's mounts cannot be made.
Result<env::ContainerRequest> make_request(const PodSpecView& pod,
                                           const ContainerSpecView& container,
                                           const ContainerCommand& command,
                                           const ContainerPlace& place,
                                           const env::ContainerSupport& support);

// Where its processes begin. The pod's own directory is on the host's root and closed to all but
// the node's user; others begin where most images do.
std::string working_directory(const ContainerSpecView& container, const std::string& work_dir,
                              bool on_host_root);

}  // namespace windlass::node
