#include "api/codec/outline.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <optional>

namespace windlass::api {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

struct Field {
  uint32_t number = 0;
  bool is_message = false;  // or text, or bytes: of this length
  std::string_view whole;   // with its tag
  std::string_view content;
};

// The fields of a message, one after the other.
class FieldReader {
 public:
  explicit FieldReader(std::string_view raw)
      : raw_(raw),
        stream_(reinterpret_cast<const uint8_t*>(raw.data()), static_cast<int>(raw.size())) {}

  // Nothing at the end, and where it is no protobuf: broken() tells.
  std::optional<Field> next() {
    const auto begin = position();
    const uint32_t tag = stream_.ReadTag();
    if (tag == 0) {
      broken_ = position() != raw_.size();
      return std::nullopt;
    }
    Field field;
    field.number = static_cast<uint32_t>(WireFormatLite::GetTagFieldNumber(tag));
    field.is_message =
        WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    uint32_t length = 0;
    const bool read = field.is_message
                          ? stream_.ReadVarint32(&length) && stream_.Skip(static_cast<int>(length))
                          : WireFormatLite::SkipField(&stream_, tag);
    if (!read || position() > raw_.size()) {
      broken_ = true;
      return std::nullopt;
    }
    field.whole = raw_.substr(begin, position() - begin);
    field.content = field.whole.substr(field.whole.size() - length);
    return field;
  }
  bool broken() const { return broken_; }

 private:
  size_t position() const { return static_cast<size_t>(stream_.CurrentPosition()); }

  std::string_view raw_;
  CodedInputStream stream_;
  bool broken_ = false;
};

void append_varint(uint64_t value, std::string& out) {
  uint8_t bytes[10];
  const uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
}

// False for what is no message.
bool append_part(const Outline::Part& part, std::string_view content, std::string& kept) {
  FieldReader reader(content);
  while (const auto field = reader.next()) {
    if (part.keeps(field->number)) {
      kept += field->whole;
    }
  }
  return !reader.broken();
}

}  // namespace

bool Outline::Part::keeps(uint32_t number) const {
  return (std::find(fields.begin(), fields.end(), number) != fields.end()) != all_but;
}

std::string apply_outline(std::string_view raw, const Outline& outline) {
  std::string out;
  out.reserve(raw.size());
  std::string kept;
  FieldReader reader(raw);
  while (const auto field = reader.next()) {
    const auto part =
        std::find_if(outline.parts.begin(), outline.parts.end(),
                     [&field](const Outline::Part& each) { return each.field == field->number; });
    if (part == outline.parts.end() || !field->is_message) {
      out += field->whole;
      continue;
    }
    kept.clear();
    if (!append_part(*part, field->content, kept)) {
      return std::string(raw);
    }
    append_varint(field->number << 3 | WireFormatLite::WIRETYPE_LENGTH_DELIMITED, out);
    append_varint(kept.size(), out);
    out += kept;
  }
  return reader.broken() ? std::string(raw) : out;
}

}  // namespace windlass::api
