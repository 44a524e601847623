// Moves the bytes of one connected stream on an event loop: server and client connections, probes
// and dials all use it. It knows when a transfer is worth another try (epoll, and what TLS has read
// ahead), keeps the loop's interest in the socket as small as it goes, and lets others have their
// turn. What to send, and what to make of what comes, is for its user.
//
// Lives on the event loop, which outlives it, inside its user. A user that may be destroyed by what
// it calls keeps itself alive for as long as a call to the pump, or on_ready(), lasts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/weak_self.h"
#include "net/stream/byte_stream.h"
#include "posix/event_loop.h"

namespace windlass::net {

class StreamUser {
 public:
  // The socket is ready for something (EPOLLIN, ...), or the turn has come that resume_later()
  // asked for (0). Mostly calls run().
  virtual void on_ready(uint32_t events) = 0;

  // What to send now, filled in from the front; how many parts. They stay until on_sent().
  virtual size_t output(std::span<std::string_view> /*parts*/) { return 0; }
  virtual void on_sent(size_t /*bytes*/) {}
  // Whether it takes bytes now.
  virtual bool reads() const { return false; }
  // How many of the bytes it takes; the rest comes again when it reads.
  virtual size_t on_received(std::string_view bytes) { return bytes.size(); }
  // The other side has ended it (Io::closed), or it has failed; `why` is for people.
  virtual void on_ended(Io /*how*/, const std::string& /*why*/) {}

 protected:
  ~StreamUser() = default;
};

class StreamPump {
 public:
  // Rounds of sending and reading before others have their turn.
  static constexpr int kMaxStepsPerTurn = 32;
  // Read and dropped while it lingers.
  static constexpr size_t kMaxDiscardedBytes = size_t{8} * 1024 * 1024;
  // A good size for what run() reads into.
  static constexpr size_t kReadBytes = size_t{64} * 1024;

  // A side whose last words may wait to be read reads on after it cannot write any more.
  enum class AfterFailedWrite { end, read };

  StreamPump(posix::EventLoop& loop, StreamUser& user, std::unique_ptr<ByteStream> stream,
             AfterFailedWrite after_failed_write = AfterFailedWrite::end)
      : loop_(loop),
        user_(user),
        stream_(std::move(stream)),
        after_failed_write_(after_failed_write) {}
  ~StreamPump() { close(); }
  StreamPump(const StreamPump&) = delete;
  StreamPump& operator=(const StreamPump&) = delete;

  // Watches the socket: for `events` always, for others while a transfer waits for them.
  void start(uint32_t events);
  // Other events than those of start().
  void watch_always(uint32_t events);
  // Sends and reads as far as it goes without waiting, or as far as one turn goes. `scratch` is for
  // what is read.
  void run(std::span<char> scratch);
  // Sends as far as it goes without waiting.
  void flush();
  // Ends the present turn; the next one comes after others had theirs.
  void yield() { yields_ = true; }
  void resume_later();
  bool resumes() const { return resumes_; }
  // Nothing is expected now: no read is tried until the socket says that there is something.
  void expect_nothing() { may_read_ = false; }
  // A read is tried even if the socket has not said so: the loop may have been too busy to hear it.
  void expect_input() { may_read_ = true; }
  // Received and not taken by the user yet.
  bool has_input() const { return !input_.empty(); }
  // A write did not go through: the other side does not read, or not fast enough.
  bool write_blocked() const { return write_result_ == Io::want_write; }

  // Says that nothing more will be sent, and drops what still comes: the other side may otherwise
  // lose what it has not read yet. Then on_ended().
  void linger();

  // One step of the stream's handshake; waits for the socket when that is what it needs.
  Io handshake(http::Peer& peer);
  // Calls on_ready() once the socket is ready for that (Io::want_*).
  void wait_for(Io what);
  // Puts another stream over the present one, or hands it on. Closed when there is none then.
  void wrap(const std::function<std::unique_ptr<ByteStream>(std::unique_ptr<ByteStream>)>& wrap);
  std::unique_ptr<ByteStream> release();

  ByteStream& stream() { return *stream_; }
  bool closed() const { return stream_ == nullptr; }
  void close();

 private:
  void on_event(uint32_t events);
  // Each false when there is nothing more to do now.
  bool send_some();
  bool read_some(std::span<char> scratch);
  void take(std::string_view bytes);
  void discard(std::span<char> scratch);
  void end(Io how, std::string_view otherwise);
  uint32_t wanted_events() const;
  void change_to(uint32_t events);

  posix::EventLoop& loop_;
  StreamUser& user_;
  std::unique_ptr<ByteStream> stream_;  // null once closed
  const AfterFailedWrite after_failed_write_;
  posix::WatchId watch_ = posix::WatchId::none;
  uint32_t always_ = 0;
  uint32_t watched_ = 0;
  std::string input_;
  Io write_result_ = Io::done;
  Io read_result_ = Io::done;
  bool may_read_ = true;  // worth a try; false until the socket says that there is more
  bool yields_ = false;
  bool resumes_ = false;
  bool lingers_ = false;
  size_t discarded_ = 0;
  WeakSelf<StreamPump> self_{this};
};

}  // namespace windlass::net
