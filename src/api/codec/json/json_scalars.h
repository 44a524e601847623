// The messages that are one JSON value (Time, Quantity, IntOrString, raw JSON): how each is
// written, read, and brought to one form. Internal to the codec.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/json/json_schema.h"
#include "base/result.h"

namespace windlass::api {

void append_integer(int64_t value, std::string& out);

// Writes the message of a kind above object. An absent or zero one is null, "0" or 0.
void append_scalar_message(JsonKind kind, const google::protobuf::Message& message,
                           std::string& out);

// Go's zero time, which is the same as none (api.md M7).
bool is_zero_time(const google::protobuf::Message& message, JsonKind kind);

// These fill an empty message of the kind and say whether it is other than zero. Errors have Go's
// texts (api.md M31).
Result<bool> set_time_text(google::protobuf::Message& message, JsonKind kind,
                           std::string_view text);
Result<bool> set_quantity(google::protobuf::Message& message, std::string_view text);
void set_int_or_string(google::protobuf::Message& message, std::string_view text);
void set_int_or_string(google::protobuf::Message& message, int32_t number);
void set_raw_json(google::protobuf::Message& message, std::string json);

// Brings a message of such a kind, as Go's protobuf wrote it, to the form that the functions above
// give it, and says whether it is other than zero.
Result<bool> canonicalize_scalar_message(JsonKind kind, google::protobuf::Message& message);

}  // namespace windlass::api
