// Values as bytes, for messages and the journal: numbers as varints, strings and lists with their
// length in front. A type says its fields once, in a function `fields(archive, value)`, which both
// the writer and the reader run, so that they cannot disagree. The reader trusts nothing: what is
// too long, too many, out of range or left over makes it fail, and then every value reads as empty.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/time.h"

namespace windlass::supervisor {

// `U` or `const U`, so that one function serves writing and reading.
template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

class WireWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }
  template <class E>
  void choice(const E& value, E /*last*/) {
    number(static_cast<uint64_t>(value));
  }
  std::string take() { return std::move(bytes_); }

 private:
  void number(uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  template <std::integral T>
  void write(const T& value) {
    if constexpr (std::is_signed_v<T>) {
      const auto wide = static_cast<int64_t>(value);
      number((static_cast<uint64_t>(wide) << 1) ^ static_cast<uint64_t>(wide >> 63));
    } else {
      number(value);
    }
  }
  void write(const std::string& text) {
    number(text.size());
    bytes_ += text;
  }
  void write(Time time) { write(time.time_since_epoch().count()); }
  void write(Duration duration) { write(duration.count()); }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) {
      write(*value);
    }
  }
  template <class T>
  void write(const std::vector<T>& items) {
    number(items.size());
    for (const T& item : items) {
      write(item);
    }
  }
  template <class T>
  requires std::is_class_v<T>
  void write(const T& value) { fields(*this, value); }

  std::string bytes_;
};

class WireReader {
 public:
  static constexpr size_t kMaxStringBytes = 2 * 1024 * 1024;
  static constexpr size_t kMaxItems = 65'536;

  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  template <class E>
  void choice(E& value, E last) {
    const uint64_t got = number();
    if (got > static_cast<uint64_t>(last)) {
      fail();
    } else {
      value = static_cast<E>(got);
    }
  }
  // Everything was read, and all of it was well formed.
  bool finished() const { return ok_ && rest_.empty(); }

 private:
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) {
        break;
      }
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) {
        return value;
      }
    }
    fail();
    return 0;
  }
  template <std::integral T>
  void read(T& value) {
    const uint64_t got = number();
    if constexpr (std::is_signed_v<T>) {
      const auto wide = static_cast<int64_t>((got >> 1) ^ (~(got & 1) + 1));
      value = static_cast<T>(wide);
      if (static_cast<int64_t>(value) != wide) {
        fail();
      }
    } else {
      value = static_cast<T>(got);
      if (static_cast<uint64_t>(value) != got) {
        fail();
      }
    }
  }
  void read(std::string& text) {
    const uint64_t size = number();
    if (size > rest_.size() || size > kMaxStringBytes) {
      fail();
      return;
    }
    text.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  void read(Time& time) {
    int64_t count = 0;
    read(count);
    time = Time(Duration(count));
  }
  void read(Duration& duration) {
    int64_t count = 0;
    read(count);
    duration = Duration(count);
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool there = false;
    read(there);
    value.reset();
    if (there) {
      read(value.emplace());
    }
  }
  template <class T>
  void read(std::vector<T>& items) {
    const uint64_t count = number();
    items.clear();
    // An item has at least one byte: a count above that is a lie that would cost memory.
    if (count > kMaxItems || count > rest_.size()) {
      fail();
      return;
    }
    items.resize(count);
    for (T& item : items) {
      read(item);
    }
  }
  template <class T>
  requires std::is_class_v<T>
  void read(T& value) { fields(*this, value); }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace windlass::supervisor
