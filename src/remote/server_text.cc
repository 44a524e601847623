#include "remote/server_text.h"

#include "base/utf8.h"

namespace windlass::remote {

ServerText::ServerText(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  constexpr size_t kLeastSecret = 8;  // a shorter one could be any word
  if (authorization.size() >= kScheme.size() + kLeastSecret) {
    token_ = authorization.substr(kScheme.size());
  }
}

// Redacted before it is cut: the end of what is shown may not be the beginning of a token.
std::string ServerText::shown(std::string_view text, size_t max_bytes) const {
  constexpr std::string_view kInstead = "[redacted]";
  std::string line(text);
  if (!token_.empty()) {
    for (size_t at = line.find(token_); at != std::string::npos;
         at = line.find(token_, at + kInstead.size())) {
      line.replace(at, token_.size(), kInstead);
    }
  }
  const bool cut = line.size() > max_bytes;
  line = one_line(std::string_view(line).substr(0, max_bytes));
  return cut ? line + "..." : line;
}

}  // namespace windlass::remote
