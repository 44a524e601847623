#include "client/object_identity.h"

#include <charconv>

#include "schema/meta/v1/meta.pb.h"

namespace windlass::client {

std::string object_key(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  if (!ns.empty()) {
    key.append(ns).push_back('/');
  }
  return key.append(name);
}

KeyParts split_key(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) {
    return {"", std::string(key)};
  }
  return {std::string(key.substr(0, slash)), std::string(key.substr(slash + 1))};
}

std::string key_of(const api::Message& object) {
  const auto& metadata = api::metadata_of(object);
  return object_key(metadata.namespace_(), metadata.name());
}

const std::string& uid_of(const api::Message& object) {
  return api::metadata_of(object).uid();
}

const std::string& resource_version_of(const api::Message& object) {
  return api::metadata_of(object).resource_version();
}

bool is_end_of_list(const api::Message& bookmark) {
  const auto& annotations = api::metadata_of(bookmark).annotations();
  const auto found = annotations.find("k8s.io/initial-events-end");
  return found != annotations.end() && found->second == "true";
}

uint64_t version_number(std::string_view resource_version) {
  uint64_t number = 0;
  const char* end = resource_version.data() + resource_version.size();
  const auto [stop, error] = std::from_chars(resource_version.data(), end, number);
  return error == std::errc() && stop == end ? number : 0;
}

}  // namespace windlass::client
