#include "engine/state/uid.h"

#include <array>

namespace windlass::engine {
namespace {

// Marks an odd UID. A UUID with these bits is treated as odd too, so the two never meet.
constexpr uint64_t kOdd = ~uint64_t{0};
constexpr size_t kUuidLength = 36;

constexpr uint8_t kNoDigit = 16;

// The value of each hexadecimal digit that a canonical UUID may have.
constexpr std::array<uint8_t, 256> make_digits() {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (uint8_t i = 0; i < 10; ++i) {
    digits[size_t{'0'} + i] = i;
  }
  for (uint8_t i = 0; i < 6; ++i) {
    digits[size_t{'a'} + i] = static_cast<uint8_t>(10 + i);
  }
  return digits;
}
constexpr std::array<uint8_t, 256> kDigitValues = make_digits();

// Reads `count` digits, and notes in `bad` when one is none.
uint64_t read_digits(const char* text, size_t count, uint8_t& bad) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t digit = kDigitValues[static_cast<unsigned char>(text[i])];
    bad |= digit & kNoDigit;
    value = value << 4 | digit;
  }
  return value;
}

std::optional<Uid> parse_uuid(std::string_view text) {
  if (text.size() != kUuidLength) {
    return std::nullopt;
  }
  const char* const at = text.data();
  uint8_t bad = 0;
  const uint64_t high = read_digits(at, 8, bad) << 32 | read_digits(at + 9, 4, bad) << 16 |
                        read_digits(at + 14, 4, bad);
  const uint64_t low = read_digits(at + 19, 4, bad) << 48 | read_digits(at + 24, 12, bad);
  const bool dashes = at[8] == '-' && at[13] == '-' && at[18] == '-' && at[23] == '-';
  if (bad != 0 || !dashes || high == kOdd) {
    return std::nullopt;
  }
  return Uid{high, low};
}

void print_digits(char* out, uint64_t value, int count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (int i = count - 1; i >= 0; --i, value >>= 4) {
    out[i] = kDigits[value & 15];
  }
}

std::string print_uuid(Uid uid) {
  std::string text(kUuidLength, '-');
  char* const at = text.data();
  print_digits(at, uid.high >> 32, 8);
  print_digits(at + 9, uid.high >> 16, 4);
  print_digits(at + 14, uid.high, 4);
  print_digits(at + 19, uid.low >> 48, 4);
  print_digits(at + 24, uid.low, 12);
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

}  // namespace windlass::engine
