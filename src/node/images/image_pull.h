// What a pod's containers run on: the root of their image, or the host's; and what they wait for
// when a required image is missing (disruption.md K-18). Nothing is ever fetched: images are added
// with `windlass image add`, and looked for with a kubelet's back-off.
//
// Owned by a pod worker, on its executor.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "images/catalog/catalog.h"
#include "node/container/container_run.h"
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

class ImagePulls {
 public:
  // Without `images` there are none. Where they are not `required`, a name that is not known
  // stands for the host's root.
  ImagePulls(std::optional<images::ImageCatalog> images, bool required);

  // The image of a container that runs already.
  std::optional<images::ImageRecord> known(const ContainerSpecView& container) const;
  const std::optional<images::ImageCatalog>& catalog() const { return images_; }

  ImageAnswer look(size_t container_number, const ContainerSpecView& container, MonotonicTime now);

 private:
  struct Attempt {
    Duration delay{};
    MonotonicTime next{};
    std::string error;
  };

  ImageAnswer missing(size_t container_number, const ContainerSpecView& container,
                      MonotonicTime now);

  std::optional<images::ImageCatalog> images_;
  const bool required_;
  std::map<size_t, Attempt> failed_;  // by container number
};

}  // namespace windlass::node
