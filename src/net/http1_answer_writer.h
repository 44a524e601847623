// Answers as HTTP/1.1 writes them: heads, framing, and what waits to be sent of both. Knows of one
// request at a time. Bytes only; one thread.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"
#include "net/exchange_link.h"
#include "net/stream/output_queue.h"

namespace windlass::net {

class Http1AnswerWriter {
 public:
  // The next request, which the answer is to.
  void begin(std::string method, bool http_1_0, bool keep_alive);
  // The connection ends with this answer.
  void end_connection() { keep_alive_ = false; }
  bool keep_alive() const { return keep_alive_; }

  // Lets a client go on that waits for this before it sends the body.
  void welcome_body() { output_.add("HTTP/1.1 100 Continue\r\n\r\n"); }
  // A whole answer. Its body is made by now.
  void respond(http::Response response, std::string_view date);
  // An answer in pieces, up to finish().
  void start(const StartAnswer& start, std::string_view date);
  // Bytes of another protocol from now on, up to finish().
  void upgrade(const UpgradeAnswer& upgrade, std::string_view date);
  bool upgraded() const { return upgraded_; }
  void write(http::Chunk chunk);
  void finish();
  bool streaming() const { return streaming_; }
  // Of the answer in pieces: HEAD, and some statuses, have none.
  bool has_body() const { return has_body_; }

  OutputQueue& output() { return output_; }
  const OutputQueue& output() const { return output_; }

 private:
  bool chunked() const { return has_body_ && !http_1_0_ && !upgraded_; }

  OutputQueue output_;
  std::string method_;
  bool http_1_0_ = false;
  bool keep_alive_ = true;
  bool streaming_ = false;
  bool has_body_ = true;
  bool upgraded_ = false;  // for good: there is no way back
};

}  // namespace windlass::net
