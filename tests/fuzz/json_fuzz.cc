// Whatever decodes must encode to JSON that decodes to the same message, and survive protobuf.
#include <cstdint>
#include <string_view>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "base/check.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace {

using namespace windlass::api;

template <class T>
void decode_encode_decode(std::string_view text) {
  T message;
  auto decoded = decode_json(text, message);
  if (!decoded) {
    CHECK(!decoded.error().message.empty(), "an error says what is wrong");
    return;
  }
  std::string json = to_json(message, decoded->type);
  T again;
  auto redecoded = decode_json(json, again);
  CHECK(redecoded.has_value(), json);
  CHECK(redecoded->problems.empty(), json);
  CHECK(to_json(again, redecoded->type) == json, json);

  T from_protobuf;
  CHECK(decode_protobuf(encode_protobuf(message), from_protobuf).has_value(), json);
  CHECK(to_json(from_protobuf, decoded->type) == json, json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  decode_encode_decode<batch::v1::Job>(text);
  decode_encode_decode<core::v1::Pod>(text);
  decode_encode_decode<core::v1::ConfigMap>(text);
  return 0;
}
