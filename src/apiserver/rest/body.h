// The body of a request as an object: JSON, YAML or protobuf (api.md M3, M6, M31, M110). Pure; any
// thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/kind.h"
#include "apiserver/verbs/write_options.h"
#include "base/result.h"
#include "http/message.h"

namespace windlass::apiserver {

struct Body {
  std::unique_ptr<api::Message> object;
  api::TypeMeta type;                      // as the body says it, or as the endpoint has it
  std::vector<std::string> warnings = {};  // unknown and duplicate fields
};

Result<Body> decode_body(const http::Request& request, const api::Kind& wanted,
                         FieldValidation validation);

// Which of the request body types the Content-Type names; 415 for others.
enum class BodyType { json, yaml, protobuf };
Result<BodyType> body_type(const http::Request& request);

}  // namespace windlass::apiserver
