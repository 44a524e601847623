// Names of images as containers give them: [registry/]path[:tag][@digest]. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::api {

// Views of the text that it was read from.
struct ImageName {
  std::string_view repository;  // without docker.io/ and library/, which are meant without them
  std::string_view tag;         // "" when there is none
  std::string_view digest;

  // repository[:tag]
  std::string text() const;
  bool operator==(const ImageName&) const = default;
};

// The error says what is wrong in the words of a kubelet (disruption.md K-18, InvalidImageName).
Result<ImageName> parse_image_name(std::string_view text);

// The names under which it may be known, the most exact first: one without a tag stands for all
// tags that are not known themselves.
std::vector<std::string> known_names(const ImageName& image);

// The tag of an image name: "latest" where the name has neither tag nor digest, and "" where it has
// a digest alone or is no image name at all.
std::string_view image_tag(std::string_view image);

// `host`: the root of the machine itself, as it is.
inline bool is_host_image(std::string_view image) {
  return image == "host";
}

// `pause` of any registry: it has no files of its own (api.md E72).
bool is_pause_image(std::string_view image);

}  // namespace windlass::api
