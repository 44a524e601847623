// The chunked transfer coding taken off (RFC 9112, 7.1), piece by piece, strictly. Extensions and
// trailers are read over. Holds at most one framing line. No I/O; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace windlass::http {

class ChunkedDecoder {
 public:
  struct Limits {
    size_t line_bytes = 1024;  // of framing
    size_t trailer_bytes = size_t{16} * 1024;
    uint64_t body_bytes = std::numeric_limits<uint64_t>::max();
  };

  enum class State { open, complete, broken };
  // Why it is broken.
  enum class Problem { none, malformed, body_too_large, trailers_too_large };

  explicit ChunkedDecoder(const Limits& limits) : limits_(limits) {}

  // How many bytes were used; what they carry is appended to `body`.
  size_t feed(std::string_view bytes, std::string& body);
  State state() const { return state_; }
  Problem problem() const { return problem_; }

 private:
  enum class Part { size_line, data, data_end, trailers };

  void breaks(Problem problem);
  // One line into line_; whether its end has come.
  bool feed_line(std::string_view bytes, size_t& used);
  void on_line();
  void on_size_line();
  void on_trailer();

  Limits limits_;
  State state_ = State::open;
  Problem problem_ = Problem::none;
  Part part_ = Part::size_line;
  uint64_t remaining_ = 0;  // of the chunk
  uint64_t body_bytes_ = 0;
  std::string line_;
  size_t trailer_bytes_ = 0;
};

}  // namespace windlass::http
