// JSON to messages and back, driven by descriptors and the options of proto/options.proto: exactly
// what a Kubernetes API server reads and writes. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace windlass::api {

inline constexpr size_t kMaxJsonBytes = 16U << 20;
// More problems than these are not reported, as in Kubernetes.
inline constexpr size_t kMaxFieldProblems = 100;

// A field the schema does not know, or one given twice. Not an error by itself: strict, warn and
// ignore (api.md M110) are the caller's choice.
struct FieldProblem {
  enum class Type { unknown, duplicate };
  Type type = Type::unknown;
  std::string path;        // spec.template.spec.containers[0].zork
  std::string suggestion;  // the nearest known name of an unknown field, or ""

  std::string text() const;  // unknown field "spec.foo"
  bool operator==(const FieldProblem&) const = default;
};

struct DecodedJson {
  TypeMeta type;  // as the document says; empty where it says nothing
  std::vector<FieldProblem> problems;
};

// Reads a document into `out`, which the caller has made of the right type and left empty. The
// result is canonical (protobuf.h). Of duplicate keys the last one wins. Errors have the text of
// api.md M31; details.causes[0].field has the path of the value that is wrong, where there is one.
Result<DecodedJson> decode_json(std::string_view text, Message& out);

// Only apiVersion and kind.
Result<TypeMeta> peek_json_type(std::string_view text);

// The 400 of M31 for an error of decode_json:
// `Job in version "v1" cannot be handled as a Job: json: cannot unmarshal ...`
Status cannot_be_handled(const TypeMeta& given, std::string_view wanted_kind, const Status& error);

enum class JsonStyle { compact, pretty };

// Appends the object. `type` may be empty (list items, embedded messages).
void encode_json(const Message& object, const TypeMeta& type, JsonStyle style, std::string& out);
std::string to_json(const Message& object, const TypeMeta& type = {},
                    JsonStyle style = JsonStyle::compact);

// The strict decoding error for these problems: `strict decoding error: unknown field "a", ...`.
std::string strict_error_text(const std::vector<FieldProblem>& problems);

}  // namespace windlass::api
