// Whatever comes out of an envelope goes back into one and comes out the same, also by way of JSON.
#include <cstdint>
#include <string_view>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "base/check.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace {

using namespace windlass::api;

template <class T>
void decode_encode_decode(const Envelope& envelope) {
  T message;
  if (!decode_protobuf(envelope.raw, message)) {
    return;
  }
  std::string sealed = seal_envelope(envelope.type, message);
  auto opened = open_envelope(sealed);
  CHECK(opened.has_value(), "what we seal, we open");
  CHECK(opened->type == envelope.type, envelope.type.kind);
  T again;
  CHECK(decode_protobuf(opened->raw, again).has_value(), "what we write, we read");
  CHECK(encode_protobuf(again) == encode_protobuf(message), "unchanged");

  // Bytes that are not UTF-8 change on their way through JSON, and raw JSON may be more than a
  // decoder takes; but what comes back once, stays.
  T from_json;
  if (decode_json(to_json(message), from_json)) {
    T twice;
    CHECK(decode_json(to_json(from_json), twice).has_value(), "what we write, we read");
    CHECK(encode_protobuf(twice) == encode_protobuf(from_json), "unchanged");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto envelope = open_envelope(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!envelope) {
    CHECK(!envelope.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  decode_encode_decode<batch::v1::Job>(*envelope);
  decode_encode_decode<core::v1::Pod>(*envelope);
  return 0;
}
