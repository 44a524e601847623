// The client's side of one HTTP/2 connection, without the connection: requests and bytes of the
// server go in, bytes for the server and answers come out. Strict, by way of nghttp2; floods end
// it. Many requests are under way at a time, each a stream; one thread. No I/O, no clock.
//
//   id = session.open(fields, body);
//   bytes = session.output(); session.written(as many as went out);
//   session.feed(bytes from the server);
//   for (id : session.take_news()) look at session.find(id), and forget(id) what has ended
//
// Of a request without an answer it knows whether the server can have begun with it:
// certainly_not_applied().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace windlass::http {

struct Http2Limits {
  size_t streams = 100;  // requests at a time, if the server lets us
  size_t head_bytes = size_t{64} * 1024;
  size_t headers = 128;
  size_t interim_answers = 8;
  // What the server may send before it hears that more is welcome. All of it is taken as it comes,
  // so that this bounds how fast a long way is used, not memory.
  int32_t stream_window = 4 * 1024 * 1024;
  int32_t connection_window = 32 * 1024 * 1024;
  // In a row, without anything of an answer between them: pings, settings, frames of no bytes.
  size_t idle_frames = 10'000;
  size_t unsent_acknowledgements = 1000;
};

class Http2Session {
 public:
  using StreamId = int32_t;
  // What waits to be written is at most this and one frame: about a TLS record.
  static constexpr size_t kOutputBytes = size_t{16} * 1024;
  static constexpr size_t kStreamsBeforeSettings = 100;  // until the server has said how many

  struct Field {
    std::string_view name;  // in lower case; first the pseudo-headers
    std::string_view value;
  };

  enum class State { open, complete, lost };
  struct Answer {
    State state = State::open;
    bool has_head = false;
    int status = 0;
    Headers headers = {};
    std::string body = {};     // what has come; the reader takes from it
    std::string problem = {};  // why it is lost
    bool refused = false;      // lost, because the server says that it does not look at it
  };

  explicit Http2Session(const Http2Limits& limits = {});
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // How many more requests it takes now.
  size_t room() const;
  // Those without an end.
  size_t open_streams() const;
  // Only with room().
  StreamId open(std::span<const Field> fields, std::string body);
  // Nothing more of it is told; the server hears of it. Answers whether it may have been applied.
  bool cancel(StreamId stream);

  void feed(std::string_view bytes);
  // There will be no more bytes either way: what has no end yet is lost.
  void end(const std::string& why);

  // Those of which something has come since the last time, the first first.
  std::vector<StreamId> take_news();
  // nullptr for what was never there or is forgotten.
  Answer* find(StreamId stream);
  void forget(StreamId stream);
  // Nothing of it was handed over, or the server said that it did not begin with it.
  bool certainly_not_applied(StreamId stream) const;

  // What goes to the server now; the same bytes first until they are written.
  std::string_view output();
  void written(size_t bytes);

  void ping();
  uint64_t pings_answered() const;
  // The server takes no new requests here.
  bool going_away() const;
  // Nothing more can come of it: end() it once output() is written.
  bool finished() const;
  const std::string& problem() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::http
