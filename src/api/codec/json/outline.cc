#include "api/codec/json/outline.h"

#include <algorithm>

#include "api/codec/wire_fields.h"

namespace windlass::api {
namespace {

bool append_outlined(std::string_view raw, const Outline& outline, std::string& out);

// What stays is no longer than it was: its length fits where the one before was, if need be with
// zeros behind it.
bool append_inner(const WireField& field, const Outline& outline, std::string& out) {
  const size_t head = field.whole.size() - field.content.size();
  const size_t begin = out.size();
  out.append(field.whole, 0, head);
  if (!append_outlined(field.content, outline, out)) {
    return false;
  }
  size_t length_at = begin;
  while ((static_cast<unsigned char>(out[length_at]) & 0x80) != 0) {
    ++length_at;
  }
  size_t length = out.size() - begin - head;
  for (size_t i = length_at + 1; i < begin + head; ++i, length >>= 7) {
    const bool last = i + 1 == begin + head;
    out[i] = static_cast<char>((length & 0x7f) | (last ? 0 : 0x80));
  }
  return true;
}

// False for what is no message.
bool append_outlined(std::string_view raw, const Outline& outline, std::string& out) {
  WireFields fields(raw);
  WireField field;
  while (fields.next(field)) {
    const auto part =
        std::find_if(outline.begin(), outline.end(),
                     [&field](const OutlinePart& each) { return each.field == field.number; });
    if (part == outline.end()) {
      continue;
    }
    if (part->inner.empty() || !field.has_length) {
      out += field.whole;
    } else if (!append_inner(field, part->inner, out)) {
      return false;
    }
  }
  return !fields.broken();
}

}  // namespace

std::string apply_outline(std::string_view raw, const Outline& outline) {
  std::string out;
  out.reserve(raw.size());
  return append_outlined(raw, outline, out) ? out : std::string(raw);
}

}  // namespace windlass::api
