#include "job/uid.h"

namespace windlass::job {
namespace {

// Marks an odd UID. A UUID with these bits is treated as odd too, so the two never meet.
constexpr uint64_t kOdd = ~uint64_t{0};
constexpr size_t kUuidLength = 36;

bool is_dash_place(size_t at) {
  return at == 8 || at == 13 || at == 18 || at == 23;
}

std::optional<Uid> parse_uuid(std::string_view text) {
  if (text.size() != kUuidLength) {
    return std::nullopt;
  }
  uint64_t halves[2] = {0, 0};
  size_t digits = 0;
  for (size_t i = 0; i < kUuidLength; ++i) {
    const char c = text[i];
    if (is_dash_place(i)) {
      if (c != '-') {
        return std::nullopt;
      }
      continue;
    }
    const bool letter = c >= 'a' && c <= 'f';
    if (!letter && (c < '0' || c > '9')) {
      return std::nullopt;
    }
    const uint64_t digit = static_cast<uint64_t>(letter ? c - 'a' + 10 : c - '0');
    uint64_t& half = halves[digits++ / 16];
    half = half << 4 | digit;
  }
  if (halves[0] == kOdd) {
    return std::nullopt;
  }
  return Uid{halves[0], halves[1]};
}

std::string print_uuid(Uid uid) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(kUuidLength);
  for (int digit = 0; digit < 32; ++digit) {
    if (is_dash_place(text.size())) {
      text += '-';
    }
    const uint64_t half = digit < 16 ? uid.high : uid.low;
    text += kDigits[(half >> (60 - 4 * (digit % 16))) & 15];
  }
  return text;
}

}  // namespace

Uid UidNames::intern(std::string_view text) {
  if (const auto uid = find(text)) {
    return *uid;
  }
  const uint64_t number = next_odd_++;
  odd_.emplace(text, number);
  odd_text_.emplace(number, text);
  return Uid{kOdd, number};
}

std::optional<Uid> UidNames::find(std::string_view text) const {
  if (const auto uuid = parse_uuid(text)) {
    return uuid;
  }
  const auto found = odd_.find(std::string(text));
  if (found == odd_.end()) {
    return std::nullopt;
  }
  return Uid{kOdd, found->second};
}

std::string UidNames::text(Uid uid) const {
  if (uid.high != kOdd) {
    return print_uuid(uid);
  }
  const auto found = odd_text_.find(uid.low);
  return found == odd_text_.end() ? std::string() : found->second;
}

void UidNames::forget(Uid uid) {
  if (uid.high != kOdd) {
    return;
  }
  const auto found = odd_text_.find(uid.low);
  if (found != odd_text_.end()) {
    odd_.erase(found->second);
    odd_text_.erase(found);
  }
}

}  // namespace windlass::job
