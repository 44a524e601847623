// What a pod's containers run on: the root of their image, or the host's; and what they wait for
// until it is there (disruption.md K-18). An image that is missing, or has to be asked for again,
// is pulled as a kubelet does, with its back-off, policy and events.
//
// Owned by a pod worker, on its executor. Nothing is called after destruction.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/weak_self.h"
#include "env/clock.h"
#include "images/catalog/catalog.h"
#include "images/catalog/image_puller.h"
#include "node/container/container_run.h"
#include "node/pod/pod_objects.h"
#include "node/pod/pod_spec_view.h"

namespace windlass::node {

struct ImageAnswer {
  std::string root;                               // "" is the host's own
  std::string id;                                 // for the status
  std::optional<images::ImageRecord> image = {};  // nothing for the host's own
  std::optional<Waiting> wait = {};               // instead: not yet, or never
  MonotonicTime look_again{};
  std::vector<std::string> warnings = {};  // for events with reason Failed
};

// Without a puller an image that is missing is looked for, until another process has brought it.
struct ImagePullHost {
  env::Clock* clock = nullptr;
  images::ImagePuller* puller = nullptr;
  // Answers later, or within the call.
  std::function<void(const std::string& name, std::function<void(const Result<ObjectData>&)>)>
      read_secret = {};
  std::function<void(size_t container, bool warning, const std::string& reason,
                     const std::string& message)>
      on_event = {};
  // The container may be looked for again at once.
  std::function<void(size_t container)> on_answer = {};
};

class ImagePulls {
 public:
  // Without `images` there are none. Where they are not `required`, a name that is not known
  // stands for the host's root.
  ImagePulls(std::optional<images::ImageCatalog> images, bool required, ImagePullHost host = {});
  ImagePulls(const ImagePulls&) = delete;
  ImagePulls& operator=(const ImagePulls&) = delete;

  // The image of a container that runs already.
  std::optional<images::ImageRecord> known(const ContainerSpecView& container) const;
  const std::optional<images::ImageCatalog>& catalog() const { return images_; }

  // `secrets` are the names of the pod's imagePullSecrets.
  ImageAnswer look(size_t container_number, const ContainerSpecView& container,
                   const std::vector<std::string>& secrets, MonotonicTime now);

 private:
  struct Attempt {
    Duration delay{};
    MonotonicTime next{};
    std::string error;
    bool shown = false;  // the error itself, before the back-off is
  };
  // Under way, from the first secret that is read.
  struct Pulling {
    std::string image;
    std::vector<std::string> unread;  // names of secrets, the last one first
    std::vector<std::string> missing;
    std::vector<ObjectData> secrets = {};
    MonotonicTime since{};
  };

  std::optional<images::NamedImage> find(const std::string& image) const;
  bool has_to_pull(size_t container_number, const ContainerSpecView& container,
                   const std::vector<std::string>& secrets,
                   const std::optional<images::NamedImage>& found);
  ImageAnswer missing(size_t container_number, const ContainerSpecView& container,
                      MonotonicTime now);
  ImageAnswer failed(size_t container_number, const std::string& image, MonotonicTime now);
  void note_failure(size_t container_number, const std::string& error, MonotonicTime now);
  void read_next_secret(size_t container_number);
  void begin(size_t container_number);
  void on_pulled(size_t container_number, const Result<images::ImagePuller::Pulled>& pulled);

  std::optional<images::ImageCatalog> images_;
  const bool required_;
  const ImagePullHost host_;
  std::map<size_t, Attempt> failed_;  // by container number, like all of these
  std::map<size_t, Pulling> pulling_;
  std::set<size_t> pulled_;  // a moment ago, for a start that has not been yet
  WeakSelf<ImagePulls> self_{this};
};

}  // namespace windlass::node
