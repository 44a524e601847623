// How an answer is written: encoding, form and style, negotiated once per request (api.md M4, M4a,
// M5). A value; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "http/target.h"

namespace windlass::apiserver {

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
