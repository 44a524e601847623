#pragma once

#include <string_view>

namespace windlass::api {

// The tag of an image name: "latest" where the name has neither tag nor digest, and "" where it has
// a digest alone or is no image name at all.
std::string_view image_tag(std::string_view image);

}  // namespace windlass::api
