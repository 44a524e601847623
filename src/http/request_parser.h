// From bytes to requests, strictly: what RFC 9112 leaves two readings for is refused, because the
// other reading may be that of a proxy in front (request smuggling). Takes bytes as they come and
// stops at the end of each request. Keeps at most the limits' worth of memory. No I/O; one thread.
//
//   used = parser.feed(bytes);
//   if (parser.state() == complete) { Request request = parser.take(); }   // and feed on
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/chunked_decoder.h"
#include "http/message.h"
#include "http/refusal.h"

namespace windlass::http {

class RequestParser {
 public:
  enum class State { head, body, complete, refused };

  explicit RequestParser(const ParserLimits& limits);

  // How many of the bytes belong to this request; the rest is the next one's. Takes nothing once
  // complete or refused.
  size_t feed(std::string_view bytes);

  State state() const { return state_; }
  // Nothing of a request has come yet.
  bool idle() const { return state_ == State::head && head_.empty(); }
  // The client waits for `100 Continue` before it sends the body.
  bool expects_continue() const { return state_ == State::body && expects_continue_; }
  // Held for this request right now.
  size_t head_bytes() const { return head_.size(); }
  size_t body_bytes() const { return request_.body.size(); }

  // From the end of the head on.
  bool keep_alive() const { return keep_alive_; }
  bool is_http_1_0() const { return http_1_0_; }
  const Request& request() const { return request_; }

  const Refusal& refusal() const { return refusal_; }

  // The complete request; the parser is ready for the next one.
  Request take();

 private:
  void refuse(Refusal refusal);
  void bad_request(std::string message) { refuse(bad_head(std::move(message))); }

  size_t feed_head(std::string_view bytes);
  void parse_head();
  bool parse_request_line(std::string_view line);
  bool parse_header_line(std::string_view line);
  bool apply_headers();
  bool apply_header(std::string_view name, std::string_view value);
  bool apply_connection(std::string_view value);

  size_t feed_body(std::string_view bytes);
  size_t feed_plain_body(std::string_view bytes);
  size_t feed_chunked_body(std::string_view bytes);

  ParserLimits limits_;
  State state_ = State::head;
  Refusal refusal_;

  std::string head_;
  size_t scanned_ = 0;     // of head_
  size_t line_start_ = 0;  // of the line being scanned

  Request request_;
  bool http_1_0_ = false;
  bool keep_alive_ = true;
  bool expects_continue_ = false;
  bool has_host_ = false;
  bool has_length_ = false;
  bool chunked_ = false;

  uint64_t remaining_ = 0;  // of a body with Content-Length
  ChunkedDecoder chunks_;
};

}  // namespace windlass::http
