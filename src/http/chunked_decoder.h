// The chunked transfer coding taken off (RFC 9112, 7.1), piece by piece. Extensions and trailers
// are read over. Holds at most one framing line. No I/O; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace windlass::http {

class ChunkedDecoder {
 public:
  static constexpr size_t kMaxLineBytes = 1024;
  static constexpr size_t kMaxTrailerBytes = size_t{16} * 1024;

  enum class State { open, complete, broken };

  // How many bytes were used; what they carry is appended to `body`.
  size_t feed(std::string_view bytes, std::string& body);
  State state() const { return state_; }

 private:
  enum class Part { size_line, data, data_end, trailers };

  size_t feed_line(std::string_view bytes);
  void on_line();
  void on_size_line();

  State state_ = State::open;
  Part part_ = Part::size_line;
  uint64_t remaining_ = 0;
  std::string line_;
  bool line_ended_ = false;
  size_t trailer_bytes_ = 0;
};

}  // namespace windlass::http
