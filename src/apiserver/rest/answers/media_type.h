// Media types as Accept and Content-Type name them. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace windlass::apiserver {

struct MediaType {
  std::string type;  // application/json, lower case; "" when unreadable
  std::vector<std::pair<std::string, std::string>> parameters = {};
  double quality = 1;

  std::string_view parameter(std::string_view name) const;
};

// One type with its parameters.
MediaType parse_media_type(std::string_view text);
// Best first: by q, then in the order they are given (api.md M4). At most kMaxAccepted.
inline constexpr size_t kMaxAccepted = 32;
std::vector<MediaType> parse_accept(std::string_view text);

}  // namespace windlass::apiserver
