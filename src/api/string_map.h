// Labels, annotations and node selectors: the string maps of messages, named here without their
// header. Their iteration order is unspecified, so code that reports entries sorts the keys.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace google::protobuf {
template <class Key, class T>
class Map;
}

namespace windlass::api {

using StringMap = google::protobuf::Map<std::string, std::string>;

// The keys of any map, in order. They point into the map.
template <class AnyMap>
std::vector<std::string_view> sorted_keys(const AnyMap& map) {
  std::vector<std::string_view> keys;
  keys.reserve(map.size());
  for (const auto& entry : map) {
    keys.push_back(entry.first);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace windlass::api
