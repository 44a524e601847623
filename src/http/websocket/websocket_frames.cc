#include "http/websocket/websocket_frames.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace windlass::http {
namespace {

constexpr uint8_t kFinal = 0x80;
constexpr uint8_t kReserved = 0x70;
constexpr uint8_t kMasked = 0x80;
constexpr uint8_t kContinuation = 0;
constexpr uint8_t kText = 1;
constexpr uint8_t kBinary = 2;
constexpr uint8_t kClose = 8;
constexpr uint8_t kPing = 9;
constexpr uint8_t kPong = 10;
constexpr uint8_t kLength16 = 126;
constexpr uint8_t kLength64 = 127;
constexpr size_t kMaskBytes = 4;
constexpr size_t kMaxCloseReason = 123;

uint8_t byte_at(std::string_view bytes, size_t at) {
  return static_cast<uint8_t>(bytes[at]);
}

uint64_t big_endian(std::string_view bytes) {
  uint64_t number = 0;
  for (const char byte : bytes) {
    number = number << 8 | static_cast<uint8_t>(byte);
  }
  return number;
}

void append_number(std::string& out, uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(number >> shift));
  }
}

std::string frame(uint8_t opcode, std::string_view payload, std::string_view rest = {}) {
  const size_t length = payload.size() + rest.size();
  std::string out;
  out.reserve(length + 10);
  out.push_back(static_cast<char>(kFinal | opcode));
  if (length < kLength16) {
    out.push_back(static_cast<char>(length));
  } else if (length <= 0xffff) {
    out.push_back(static_cast<char>(kLength16));
    append_number(out, length, 2);
  } else {
    out.push_back(static_cast<char>(kLength64));
    append_number(out, length, 8);
  }
  out += payload;
  out += rest;
  return out;
}

bool is_control(uint8_t opcode) {
  return (opcode & 0x8) != 0;
}

}  // namespace

std::optional<WebSocketPiece> WebSocketReader::next(std::string_view& bytes) {
  while (!failed_) {
    if (!in_payload_ && !read_head(bytes)) {
      return std::nullopt;
    }
    if (left_ > 0 && bytes.empty()) {
      return std::nullopt;
    }
    const std::string_view payload =
        bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(left_, bytes.size())));
    bytes.remove_prefix(payload.size());
    left_ -= payload.size();
    WebSocketPiece piece = piece_of(payload);
    in_payload_ = left_ > 0;
    if (!is_control(opcode_)) {
      return piece;
    }
    control_ += piece.bytes;
    if (!in_payload_) {
      piece.bytes = std::exchange(control_, {});
      failed_ = opcode_ == kClose;
      return piece;
    }
  }
  return std::nullopt;
}

bool WebSocketReader::read_head(std::string_view& bytes) {
  while (!bytes.empty() && !failed_) {
    head_.push_back(bytes.front());
    bytes.remove_prefix(1);
    if (parse_head()) {
      head_.clear();
      in_payload_ = true;
      return true;
    }
  }
  return false;
}

// Whether it is whole. Fails at the first byte that is wrong.
bool WebSocketReader::parse_head() {
  const uint8_t start = byte_at(head_, 0);
  opcode_ = start & 0xf;
  final_ = (start & kFinal) != 0;
  const bool data = opcode_ <= kBinary;
  const bool known = data || (opcode_ >= kClose && opcode_ <= kPong);
  // A message goes on in continuations, and nothing else does.
  const bool in_place = !data || (opcode_ == kContinuation) == in_message_;
  if ((start & kReserved) != 0 || !known || !in_place || (is_control(opcode_) && !final_)) {
    failed_ = true;
    return false;
  }
  if (head_.size() < 2) {
    return false;
  }
  const uint8_t length = byte_at(head_, 1) & 0x7f;
  if ((byte_at(head_, 1) & kMasked) == 0 || (is_control(opcode_) && length > kMaxControlBytes)) {
    failed_ = true;
    return false;
  }
  const size_t length_bytes = length == kLength64 ? 8 : length == kLength16 ? 2 : 0;
  if (head_.size() < 2 + length_bytes + kMaskBytes) {
    return false;
  }
  left_ = length_bytes == 0 ? length : big_endian(std::string_view(head_).substr(2, length_bytes));
  if (left_ >> 63 != 0 || (length_bytes == 2 && left_ < kLength16) ||
      (length_bytes == 8 && left_ <= 0xffff)) {
    failed_ = true;
    return false;
  }
  std::memcpy(mask_, head_.data() + 2 + length_bytes, kMaskBytes);
  mask_at_ = 0;
  if (data) {
    begins_ = !in_message_;
    in_message_ = !final_;
  }
  return true;
}

WebSocketPiece WebSocketReader::piece_of(std::string_view payload) {
  WebSocketPiece piece;
  piece.bytes = payload;
  for (char& byte : piece.bytes) {
    byte = static_cast<char>(byte ^ mask_[mask_at_++ % kMaskBytes]);
  }
  if (is_control(opcode_)) {
    piece.kind = opcode_ == kClose  ? WebSocketPiece::Kind::close
                 : opcode_ == kPing ? WebSocketPiece::Kind::ping
                                    : WebSocketPiece::Kind::pong;
    piece.first = piece.last = true;
    return piece;
  }
  piece.first = std::exchange(begins_, false);
  piece.last = final_ && left_ == 0;
  return piece;
}

std::string websocket_message(std::string_view payload, std::string_view rest) {
  return frame(kBinary, payload, rest);
}

std::string websocket_pong(std::string_view payload) {
  return frame(kPong, payload);
}

std::string websocket_close(uint16_t code, std::string_view reason) {
  std::string payload;
  append_number(payload, code, 2);
  payload += reason.substr(0, kMaxCloseReason);
  return frame(kClose, payload);
}

}  // namespace windlass::http
