// WebSocket (RFC 6455) as the side of a server has it: bytes of a client to pieces of messages, and
// messages to bytes. Messages of any length are handed on as they come, so that only a frame's head
// and a control frame are ever kept. No I/O; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace windlass::http {

// Close codes (RFC 6455, 7.4.1).
inline constexpr uint16_t kNormalClosure = 1000;
inline constexpr uint16_t kProtocolError = 1002;

struct WebSocketPiece {
  enum class Kind {
    data,  // of a text or a binary message
    ping,
    pong,
    close,  // nothing comes after it
  };
  Kind kind = Kind::data;
  bool first = false;  // of its message
  bool last = false;
  std::string bytes;  // without the mask; of a control frame all of it

  bool operator==(const WebSocketPiece&) const = default;
};

class WebSocketReader {
 public:
  // Takes bytes off the front until they are a piece; nothing when more have to come, or when the
  // client does not keep to the protocol.
  std::optional<WebSocketPiece> next(std::string_view& bytes);
  // Nothing more is read.
  bool failed() const { return failed_; }

 private:
  bool read_head(std::string_view& bytes);
  bool parse_head();
  WebSocketPiece piece_of(std::string_view payload);

  static constexpr size_t kMaxControlBytes = 125;

  std::string head_;
  bool in_payload_ = false;
  bool failed_ = false;
  bool in_message_ = false;  // a data message has begun, and its last frame not come
  bool begins_ = false;      // nothing of the message has been handed on
  uint8_t opcode_ = 0;       // of the present frame
  bool final_ = false;
  uint64_t left_ = 0;  // of its payload
  size_t mask_at_ = 0;
  char mask_[4] = {};
  std::string control_;
};

// A whole message. Its payload may be in two parts, for one byte in front of bytes that are there.
std::string websocket_message(std::string_view payload, std::string_view rest = {});
std::string websocket_pong(std::string_view payload);
std::string websocket_close(uint16_t code, std::string_view reason = {});

}  // namespace windlass::http
