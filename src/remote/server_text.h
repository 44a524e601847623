// What a server says, as it may be shown: errors end up in logs, events and terminals. One line,
// bounded, and without our own token, which a server may repeat. Plain data; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace windlass::remote {

class ServerText {
 public:
  ServerText() = default;
  // `authorization` is the header that requests carry; "" for none.
  explicit ServerText(std::string_view authorization);

  std::string shown(std::string_view text, size_t max_bytes) const;

 private:
  std::string token_;  // "" for none
};

}  // namespace windlass::remote
