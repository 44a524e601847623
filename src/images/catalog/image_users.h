// Users of an image: what its /etc/passwd and /etc/group make of a name or a number. Pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::images {

struct ImageUser {
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::vector<uint32_t> groups = {};  // beyond `gid`
  std::string home = "/";
  bool by_name = false;  // the image names it, so that its number is the image's to say

  bool operator==(const ImageUser&) const = default;
};

// The user of `text`, which is user[:group] by name or number; "" is root. A number needs no entry
// in `passwd`. An error is a container runtime's for a name without an entry.
Result<ImageUser> find_user(std::string_view text, std::string_view passwd,
                            std::string_view groups);

}  // namespace windlass::images
