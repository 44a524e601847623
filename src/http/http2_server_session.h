// The server's side of one HTTP/2 connection, without the connection: bytes of the client go in,
// requests and bytes for the client come out. Strict, by way of nghttp2; floods end it. No I/O, no
// clock; one thread.
//
//   session.feed(bytes from the client);
//   for (news : session.take_news()) take() what is complete, and answer it some time
//   bytes = session.output(); session.written(as many as went out);
//
// Holds back nothing by itself: how much of requests and answers may wait is for its user to count
// and to refuse. A stream is named until its last news; answering one that is gone does nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/http2_flood_guard.h"
#include "http/message.h"
#include "http/refusal.h"

namespace windlass::http {

struct Http2ServerLimits {
  ParserLimits request = {};
  uint32_t streams = 250;  // requests at a time, as in kube-apiserver
  // What the client may send of bodies before it hears that more is welcome.
  int32_t stream_window = 256 * 1024;
  int32_t connection_window = 1024 * 1024;
  Http2FloodLimits flood = {};
  size_t unsent_acknowledgements = 1000;
  // feed() stops where heads have grown by so much: the compression makes large ones of few bytes,
  // and reading those takes its time.
  size_t head_bytes_per_feed = SIZE_MAX;
  // Of heads that are coming or wait for their bodies, all together.
  size_t waiting_head_bytes = size_t{1024} * 1024;
  // Frames that wait for the client to read: answers, and refusals of what goes too far.
  size_t queued_frames = 10'000;
};

class Http2ServerSession {
 public:
  using StreamId = int32_t;
  // What waits to be written is at most this and one frame: about a TLS record.
  static constexpr size_t kOutputBytes = size_t{16} * 1024;

  enum class Step {
    head,        // of a request, whose body is still to come
    body,        // more of it has come
    complete,    // can be taken
    refused,     // can only be answered: refusal() says why. Nothing more of it is kept
    taken_back,  // by the client, before it had its answer. The last news of it
    over,        // all of the answer is on its way. The last news of it
  };
  struct News {
    StreamId stream;
    Step step;
  };
  struct Sent {
    StreamId stream;
    size_t bytes;
  };

  explicit Http2ServerSession(const Http2ServerLimits& limits = {});
  ~Http2ServerSession();
  Http2ServerSession(const Http2ServerSession&) = delete;
  Http2ServerSession& operator=(const Http2ServerSession&) = delete;

  // How much was taken; the rest is for another feed(), if there is a limit for one.
  size_t feed(std::string_view bytes);
  // In the order in which it happened.
  std::vector<News> take_news();

  bool is_open(StreamId stream) const;
  // Of streams that are open: what has come of the request, and how large its head is.
  const Request& request(StreamId stream) const;
  size_t head_bytes(StreamId stream) const;
  // Held of heads that were not taken or answered yet, all together.
  size_t waiting_head_bytes() const;
  const Refusal& refusal(StreamId stream) const;
  Request take(StreamId stream);

  // It counts among those that were refused, however it is answered.
  void mark_refused(StreamId stream);
  // Tells a client to go on that waits for this before it sends the body.
  void welcome_body(StreamId stream);
  // The Date of answers from now on, as http_date() has it; "" for none.
  void set_date(std::string_view date);
  // A whole answer. Framing headers of the handler are left out, as over HTTP/1.1.
  void respond(StreamId stream, int status, const Headers& headers, Chunk body);
  // An answer in pieces, up to finish().
  void start(StreamId stream, int status, const Headers& headers, bool has_body);
  void write(StreamId stream, Chunk chunk);
  void finish(StreamId stream);
  // Ends it in the middle, so that the client sees that it is cut.
  void cut(StreamId stream);
  // Of its answer, not yet part of output().
  size_t unsent(StreamId stream) const;
  // Of answers, what has become part of output() since the last time.
  std::vector<Sent> take_sent();

  // What goes to the client now; the same bytes first until they are written.
  std::string_view output();
  void written(size_t bytes);

  // New requests are for another connection; those that are here are answered.
  void go_away();
  size_t open_streams() const;
  // Nothing more can come of it: it ends once output() is written.
  bool finished() const;
  // Why the client has broken it; "" where it has not.
  const std::string& problem() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::http
