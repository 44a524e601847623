// What a container has of its image where the pod does not say otherwise. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "images/catalog/catalog.h"
#include "node/pod/pod_spec_view.h"

namespace windlass::node {

// Empty for the host's own root.
struct ImageDefaults {
  bool has_config = false;
  std::vector<std::string> entrypoint = {};
  std::vector<std::string> command = {};
  std::vector<std::string> environment = {};  // NAME=value
  std::string user = {};                      // name or number; "" is root
  int stop_signal = 0;                        // 0: the image does not say

  // A kubelet knows only numbers: whether a name is root's is the image's to say.
  std::optional<uint32_t> user_number() const;
};

ImageDefaults image_defaults(const images::ImageRecord& image);

// The container with the user, groups, home and working directory that its image gives it.
Result<ContainerSpecView> with_image(const ContainerSpecView& container,
                                     const images::ImageCatalog& catalog,
                                     const images::ImageRecord& image, ImageDefaults& defaults);

}  // namespace windlass::node
