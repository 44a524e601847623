// A parsed JSON document into a message, along the field tables of json_schema.h. Internal to the
// codec: decode_json in json.h is the way in.
#pragma once

#include <string_view>

#include "api/codec/json/json.h"

namespace simdjson::dom {
class element;
}

namespace windlass::api {

// `text` is what the document was parsed from.
Result<DecodedJson> read_json(std::string_view text, const simdjson::dom::element& root,
                              Message& out);

// Go's name for the type: string, number, bool, array, object.
std::string_view describe_json(const simdjson::dom::element& value);

}  // namespace windlass::api
