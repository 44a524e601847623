// How an answer is written: encoding, form and style, negotiated once per request (api.md M4, M4a,
// M5). A value; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "http/target.h"

namespace windlass::apiserver {

// Media types as Accept and Content-Type name them. Pure; any thread.
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

enum class Encoding { json, yaml, protobuf };

// What becomes of objects before they are written.
enum class ResponseForm { object, table, partial };

struct ResponseFormat {
  Encoding encoding = Encoding::json;
  ResponseForm form = ResponseForm::object;
  std::string meta_version = "v1";  // of meta.k8s.io, for tables and partial objects
  bool pretty = false;

  std::string_view content_type() const;
  std::string_view stream_content_type() const;
  bool operator==(const ResponseFormat&) const = default;
};

// 406 when nothing that is accepted can be given. A stream cannot be YAML.
Result<ResponseFormat> negotiate(const http::Headers& headers, const http::Target& target,
                                 bool stream);
// Two spaces and line ends, for people (M4a).
bool wants_pretty(const http::Headers& headers, const http::Target& target);

}  // namespace windlass::apiserver
