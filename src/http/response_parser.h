// From bytes to answers, as a client reads them: the head, then the body piece by piece, so that a
// stream that never ends (a watch) costs no memory here. Strict where RFC 9112 leaves two readings.
// Interim answers (100 to 199) are read over. No I/O; one thread.
//
//   parser.begin("GET");
//   used = parser.feed(bytes, body);      // appends what belongs to the body
//   if (parser.state() == complete) ...   // and begin() again for the next one
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/chunked_decoder.h"
#include "http/message.h"

namespace windlass::http {

struct ResponseLimits {
  size_t head_bytes = size_t{64} * 1024;
  size_t headers = 128;
  size_t interim_answers = 8;
};

class ResponseParser {
 public:
  enum class State { head, body, complete, broken };

  explicit ResponseParser(const ResponseLimits& limits = {}) : limits_(limits) {}

  // Ready for the answer to a request with this method.
  void begin(std::string_view method);
  // How many of the bytes belong to this answer. Takes nothing once complete or broken.
  size_t feed(std::string_view bytes, std::string& body);
  // The other side has ended the connection: completes an answer that has no other end.
  void end();

  State state() const { return state_; }
  // Nothing of the answer has come yet.
  bool idle() const { return head_.empty() && interim_ == 0; }
  const std::string& problem() const { return problem_; }

  // From the end of the head on.
  int status() const { return status_; }
  const Headers& headers() const { return headers_; }
  // The connection can be used again after this answer.
  bool keep_alive() const { return keep_alive_; }

 private:
  enum class Body { none, plain, chunked, until_end };

  void breaks(std::string_view why);
  size_t feed_head(std::string_view bytes);
  void parse_head();
  bool parse_status_line(std::string_view line);
  bool parse_header_line(std::string_view line);
  bool apply_headers();
  size_t feed_body(std::string_view bytes, std::string& body);

  ResponseLimits limits_;
  State state_ = State::head;
  std::string problem_;
  bool head_request_ = false;
  std::string head_;
  size_t scanned_ = 0;
  size_t interim_ = 0;
  int status_ = 0;
  bool keep_alive_ = true;
  Headers headers_;
  Body body_ = Body::none;
  uint64_t remaining_ = 0;
  ChunkedDecoder chunks_{ChunkedDecoder::Limits()};
};

}  // namespace windlass::http
