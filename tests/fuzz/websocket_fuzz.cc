// Bytes of a client to pieces of WebSocket messages: however they are cut, the same messages come
// out, and a control frame is never longer than it may be.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/websocket/websocket_frames.h"

namespace {

using windlass::http::WebSocketPiece;
using windlass::http::WebSocketReader;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

struct Outcome {
  std::vector<std::string> messages;  // data and control frames, each in the order of its end
  bool failed = false;

  bool operator==(const Outcome&) const = default;
};

Outcome read(std::string_view bytes, size_t step) {
  constexpr size_t kMaxControlBytes = 125;
  WebSocketReader reader;
  Outcome outcome;
  std::string message;
  while (!bytes.empty() && !reader.failed()) {
    std::string_view some = bytes.substr(0, step);
    bytes.remove_prefix(some.size());
    while (const auto piece = reader.next(some)) {
      if (piece->kind != WebSocketPiece::Kind::data) {
        require(piece->bytes.size() <= kMaxControlBytes);
        outcome.messages.push_back("control " + piece->bytes);
        continue;
      }
      require(!piece->first || message.empty());
      message += piece->bytes;
      if (piece->last) {
        outcome.messages.push_back("data " + message);
        message.clear();
      }
    }
    require(some.empty() || reader.failed());
  }
  outcome.failed = reader.failed();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const size_t step = 1 + data[0] % 16;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  require(read(bytes, bytes.size() + 1) == read(bytes, step));
  return 0;
}
