// Between messages and JSON trees without the text in between: patches read a stored object as a
// tree and make an object of the result. Pure; any thread.
#pragma once

#include <span>

#include "api/codec/json/json.h"
#include "api/codec/json/json_value.h"

namespace google::protobuf {
class FieldDescriptor;
}

namespace windlass::api {

// The tree of the text that to_json() writes. `type` may be empty.
JsonValue to_json_tree(const Message& object, const TypeMeta& type = {});
// With these top-level fields and no others. They are not fields of an inlined message.
JsonValue to_json_tree(const Message& object, const TypeMeta& type,
                       std::span<const google::protobuf::FieldDescriptor* const> fields);

// decode_json() for a tree. A tree has no duplicate members.
Result<DecodedJson> decode_json_tree(const JsonValue& tree, Message& out);

}  // namespace windlass::api
