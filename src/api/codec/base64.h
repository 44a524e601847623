// Standard base64 with padding, as JSON carries bytes. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace windlass::api {

void append_base64(std::string_view bytes, std::string& out);

struct Base64Error {
  size_t offset = 0;  // of the byte where Go would say the input is corrupt
};
// Line breaks are skipped, as in Go. On failure `out` is unspecified.
std::optional<Base64Error> decode_base64(std::string_view text, std::string& out);

}  // namespace windlass::api
