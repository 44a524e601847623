// What caches need to know of any object, whatever its kind. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/object.h"

namespace windlass::client {

// ns/name, or name: how queues and caches name an object.
std::string object_key(std::string_view ns, std::string_view name);

struct KeyParts {
  std::string ns;
  std::string name;
};
KeyParts split_key(std::string_view key);

std::string key_of(const api::Message& object);
const std::string& uid_of(const api::Message& object);
const std::string& resource_version_of(const api::Message& object);

// Whether a bookmark ends the list that a watch began with (api.md M81).
bool is_end_of_list(const api::Message& bookmark);

// Versions of one object compare by number (api.md M87); 0 for what is no number.
uint64_t version_number(std::string_view resource_version);

}  // namespace windlass::client
