// What libnghttp2 hands out, with who frees it, and how text gets in and out; for the two sides of
// a session alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

struct nghttp2_session;
struct nghttp2_session_callbacks;
struct nghttp2_option;

namespace windlass::http {

struct FreeNghttp2 {
  void operator()(nghttp2_session* session) const;
  void operator()(nghttp2_session_callbacks* callbacks) const;
  void operator()(nghttp2_option* option) const;
};
using Nghttp2Session = std::unique_ptr<nghttp2_session, FreeNghttp2>;
using Nghttp2Callbacks = std::unique_ptr<nghttp2_session_callbacks, FreeNghttp2>;
using Nghttp2Option = std::unique_ptr<nghttp2_option, FreeNghttp2>;

// For calls in which the library fails only where memory ends, or by our own mistake.
void must(int result);

inline uint8_t* bytes_of(std::string_view text) {
  return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
}
inline std::string_view text_of(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// An nghttp2_nv. The library writes to neither text, and copies both.
template <class NameAndValue>
NameAndValue make_field(std::string_view name, std::string_view value) {
  return {bytes_of(name), bytes_of(value), name.size(), value.size(), 0};
}

}  // namespace windlass::http
