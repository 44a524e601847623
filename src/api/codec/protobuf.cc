#include "api/codec/protobuf.h"

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>

#include "api/codec/canonical.h"
#include "api/codec/wire_fields.h"
#include "schema/meta/v1/envelope.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::ArrayOutputStream;
using google::protobuf::io::CodedOutputStream;

constexpr std::string_view kMagic("k8s\0", 4);

constexpr uint32_t length_delimited_tag(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}
constexpr uint32_t kTypeMetaTag = length_delimited_tag(meta::v1::Unknown::kTypeMetaFieldNumber);
constexpr uint32_t kRawTag = length_delimited_tag(meta::v1::Unknown::kRawFieldNumber);

Failure malformed(std::string_view what) {
  return fail(bad_request(fmt::format("proto: {}: message is truncated or malformed", what)));
}

Result<TypeMeta> parse_type_meta(std::string_view bytes) {
  TypeMeta type;
  WireFields fields(bytes);
  for (WireField field; fields.next(field);) {
    if (field.is(meta::v1::TypeMeta::kApiVersionFieldNumber)) {
      type.api_version = field.content;
    } else if (field.is(meta::v1::TypeMeta::kKindFieldNumber)) {
      type.kind = field.content;
    }
  }
  return fields.broken() ? malformed("TypeMeta") : Result<TypeMeta>(std::move(type));
}

// Writes with sorted map keys into a buffer that has exactly the room it takes.
void append_message(const Message& object, size_t size, std::string& out) {
  size_t start = out.size();
  out.resize(start + size);
  ArrayOutputStream array(out.data() + start, static_cast<int>(size));
  CodedOutputStream stream(&array);
  stream.SetSerializationDeterministic(true);
  object.SerializeWithCachedSizes(&stream);
}

void append_varint(size_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>((value & 0x7f) | 0x80);
  }
  out += static_cast<char>(value);
}

Result<void> check_size(std::string_view raw) {
  if (raw.size() > kMaxProtobufBytes) {
    return fail(bad_request(fmt::format("proto: message has {} bytes, the limit is {}", raw.size(),
                                        kMaxProtobufBytes)));
  }
  return {};
}

// nullptr when the bytes are damaged.
std::shared_ptr<Message> parse_on_arena(std::string_view raw, const Message& prototype) {
  // A pod takes five times the room of its bytes: one block holds nearly any object.
  constexpr size_t kRoomPerByte = 6;
  constexpr size_t kMinBlock = 512;
  constexpr size_t kMaxBlock = 64U << 10;
  google::protobuf::ArenaOptions options;
  options.start_block_size = std::clamp(raw.size() * kRoomPerByte, kMinBlock, kMaxBlock);
  options.max_block_size = kMaxBlock;
  auto arena = std::make_shared<google::protobuf::Arena>(options);
  Message* object = prototype.New(arena.get());
  if (!object->ParsePartialFromArray(raw.data(), static_cast<int>(raw.size()))) {
    return nullptr;
  }
  return {std::move(arena), object};
}

}  // namespace

bool has_protobuf_magic(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

Result<Envelope> open_envelope(std::string_view bytes) {
  if (!has_protobuf_magic(bytes)) {
    return fail(bad_request(
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"));
  }
  bytes.remove_prefix(kMagic.size());
  if (bytes.size() > kMaxProtobufBytes) {
    return fail(bad_request(fmt::format("proto: message has {} bytes, the limit is {}",
                                        bytes.size(), kMaxProtobufBytes)));
  }
  Envelope envelope;
  WireFields fields(bytes);
  for (WireField field; fields.next(field);) {
    if (field.is(meta::v1::Unknown::kRawFieldNumber)) {
      envelope.raw = field.content;
    } else if (field.is(meta::v1::Unknown::kTypeMetaFieldNumber)) {
      TRY(envelope.type, parse_type_meta(field.content));
    }
  }
  if (fields.broken()) {
    return malformed("Unknown");
  }
  return envelope;
}

std::string seal_envelope(const TypeMeta& type_meta, const Message& object) {
  meta::v1::TypeMeta header;
  header.set_api_version(type_meta.api_version);
  header.set_kind(type_meta.kind);
  size_t header_size = header.ByteSizeLong();
  size_t size = object.ByteSizeLong();
  constexpr size_t kTagsAndLengths = 16;
  std::string out;
  out.reserve(kMagic.size() + header_size + size + kTagsAndLengths);
  out += kMagic;
  append_varint(kTypeMetaTag, out);
  append_varint(header_size, out);
  append_message(header, header_size, out);
  append_varint(kRawTag, out);
  append_varint(size, out);
  append_message(object, size, out);
  return out;
}

Result<void> decode_protobuf(std::string_view raw, Message& out) {
  TRY_VOID(check_size(raw));
  if (!out.ParsePartialFromArray(raw.data(), static_cast<int>(raw.size()))) {
    return malformed(out.GetDescriptor()->name());
  }
  return make_canonical(out);
}

Result<ObjectPtr> decode_protobuf_object(std::string_view raw, const Message& prototype) {
  TRY_VOID(check_size(raw));
  const std::shared_ptr<Message> object = parse_on_arena(raw, prototype);
  if (object == nullptr) {
    return malformed(prototype.GetDescriptor()->name());
  }
  TRY_VOID(make_canonical(*object));
  return object;
}

ObjectPtr decode_stored(std::string_view raw, const Message& prototype) {
  return parse_on_arena(raw, prototype);
}

std::string encode_protobuf(const Message& object) {
  std::string out;
  append_message(object, object.ByteSizeLong(), out);
  return out;
}

void canonicalize(Message& object) {
  // What is out of range stays as it is; only decoding can report it.
  static_cast<void>(make_canonical(object));
}

}  // namespace windlass::api
