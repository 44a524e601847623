// Any object of any kind survives JSON, YAML and protobuf unchanged.
#include <google/protobuf/message.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "api/codec/codec_testing.h"
#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml/yaml.h"
#include "api/kind.h"

namespace windlass::api {
namespace {

const TypeMeta kType{"v1", "K"};

// Objects and lists of all kinds, as the seed has it.
std::unique_ptr<Message> random_message(uint64_t seed) {
  const Kind& kind = all_kinds()[seed / 2 % all_kinds().size()];
  bool list = seed % 2 == 0 && kind.list_prototype != nullptr;
  std::unique_ptr<Message> message = list ? kind.make_list() : kind.make();
  RandomMessage(seed).fill(*message);
  return message;
}

std::unique_ptr<Message> canonical_message(uint64_t seed) {
  std::unique_ptr<Message> message = random_message(seed);
  canonicalize(*message);
  return message;
}

std::unique_ptr<Message> empty_like(const Message& message) {
  return std::unique_ptr<Message>(message.New());
}

RC_GTEST_PROP(CodecRoundTrip, M7_CanonicalFormIsAFixedPoint, (uint64_t seed)) {
  std::unique_ptr<Message> message = canonical_message(seed);
  std::string once = encode_protobuf(*message);
  canonicalize(*message);
  RC_ASSERT(encode_protobuf(*message) == once);
}

RC_GTEST_PROP(CodecRoundTrip, JsonGivesTheSameMessage, (uint64_t seed)) {
  std::unique_ptr<Message> message = canonical_message(seed);
  std::string json = to_json(*message, kType);
  std::unique_ptr<Message> again = empty_like(*message);
  Result<DecodedJson> decoded = decode_json(json, *again);
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(decoded->problems.empty());
  RC_ASSERT(decoded->type == kType);
  RC_ASSERT(encode_protobuf(*again) == encode_protobuf(*message));
  RC_ASSERT(to_json(*again, kType) == json);
}

RC_GTEST_PROP(CodecRoundTrip, M4a_PrettyJsonGivesTheSameMessage, (uint64_t seed)) {
  std::unique_ptr<Message> message = canonical_message(seed);
  std::unique_ptr<Message> again = empty_like(*message);
  RC_ASSERT(decode_json(to_json(*message, {}, JsonStyle::pretty), *again).has_value());
  RC_ASSERT(encode_protobuf(*again) == encode_protobuf(*message));
}

RC_GTEST_PROP(CodecRoundTrip, M6_ProtobufGivesTheSameMessage, (uint64_t seed)) {
  std::unique_ptr<Message> message = canonical_message(seed);
  std::string sealed = seal_envelope(kType, *message);
  Result<Envelope> envelope = open_envelope(sealed);
  RC_ASSERT(envelope.has_value());
  RC_ASSERT(envelope->type == kType);
  std::unique_ptr<Message> again = empty_like(*message);
  RC_ASSERT(decode_protobuf(envelope->raw, *again).has_value());
  RC_ASSERT(encode_protobuf(*again) == encode_protobuf(*message));
}

// What Go sends, zeros and all, is the same object as the JSON of it.
RC_GTEST_PROP(CodecRoundTrip, M7_ProtobufWithZerosEqualsJson, (uint64_t seed)) {
  std::unique_ptr<Message> sent = random_message(seed);
  std::unique_ptr<Message> from_protobuf = empty_like(*sent);
  RC_ASSERT(decode_protobuf(sent->SerializeAsString(), *from_protobuf).has_value());
  std::unique_ptr<Message> from_json = empty_like(*sent);
  RC_ASSERT(decode_json(to_json(*from_protobuf), *from_json).has_value());
  RC_ASSERT(encode_protobuf(*from_json) == encode_protobuf(*from_protobuf));
}

RC_GTEST_PROP(CodecRoundTrip, YamlGivesTheSameJson, (uint64_t seed)) {
  std::string json = to_json(*canonical_message(seed), kType);
  Result<std::string> yaml = json_to_yaml(json);
  RC_ASSERT(yaml.has_value());
  Result<std::vector<YamlDocument>> documents = parse_yaml(*yaml);
  RC_ASSERT(documents.has_value());
  RC_ASSERT(documents->size() == 1U);
  RC_ASSERT(documents->front().json == json);
}

}  // namespace
}  // namespace windlass::api
