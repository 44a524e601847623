#include "api/pod/image_name.h"

#include <algorithm>

namespace windlass::api {
namespace {

bool is_lower_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_path_component(std::string_view text) {
  return !text.empty() && is_lower_alnum(text.front()) && is_lower_alnum(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_alnum(c) || c == '.' || c == '_' || c == '-'; });
}

// A registry, not the first part of a path: `host.io`, `host:5000`, `localhost`, `HOST`.
bool is_domain(std::string_view first) {
  return first.find_first_of(".:") != std::string_view::npos || first == "localhost" ||
         std::any_of(first.begin(), first.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_repository(std::string_view name) {
  if (const size_t slash = name.find('/');
      slash != std::string_view::npos && is_domain(name.substr(0, slash))) {
    if (slash == 0) {
      return false;
    }
    name.remove_prefix(slash + 1);
  }
  while (true) {
    const size_t slash = name.find('/');
    if (!is_path_component(name.substr(0, slash))) {
      return false;
    }
    if (slash == std::string_view::npos) {
      return true;
    }
    name.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string_view image_tag(std::string_view image) {
  const size_t at = image.find('@');
  std::string_view name = image.substr(0, at);
  std::string_view tag;
  // A colon before the last slash belongs to the registry's port.
  const size_t slash = name.rfind('/');
  const size_t colon = name.rfind(':');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    tag = name.substr(colon + 1);
    name = name.substr(0, colon);
    if (tag.empty()) {
      return "";
    }
  }
  if (!is_repository(name)) {
    return "";
  }
  if (tag.empty() && at == std::string_view::npos) {
    return "latest";
  }
  return tag;
}

}  // namespace windlass::api
