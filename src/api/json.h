// JSON to messages and back, driven by descriptors and the options of proto/options.proto: exactly
// what a Kubernetes API server reads and writes. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace windlass::api {

// A field the schema does not know, or one given twice. Not an error by itself: strict, warn and
// ignore (api.md M110) are the caller's choice.
struct FieldProblem {
  enum class Type { unknown, duplicate };
  Type type = Type::unknown;
  std::string path;        // spec.template.spec.containers[0].zork
  std::string suggestion;  // the nearest known name of an unknown field, or ""

  std::string text() const;  // unknown field "spec.foo"
};

struct DecodedJson {
  TypeMeta type;  // as the document says; empty where it says nothing
  std::vector<FieldProblem> problems;
};

// Reads a document into `out`, which the caller has made of the right type and left empty. Of
// duplicate keys the last one wins. Errors have the text of api.md M31.
Result<DecodedJson> decode_json(std::string_view text, Message& out);

// Only apiVersion and kind.
Result<TypeMeta> peek_json_type(std::string_view text);

enum class JsonStyle { compact, pretty };

// Appends the object. `type` may be empty (list items, embedded messages).
void encode_json(const Message& object, const TypeMeta& type, JsonStyle style, std::string& out);
std::string to_json(const Message& object, const TypeMeta& type = {},
                    JsonStyle style = JsonStyle::compact);

// The strict decoding error for these problems: `strict decoding error: unknown field "a", ...`.
std::string strict_error_text(const std::vector<FieldProblem>& problems);

}  // namespace windlass::api
