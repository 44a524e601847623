// Messages over a connected stream socket: a frame is four bytes of length (little endian) and that
// many bytes. Both ends of the supervisor's socket use it.
//
// Owns the socket, lives on the event loop's thread. Both directions are bounded: a frame that is
// too long, and a peer that does not read what it is sent, end the connection. After close(), or
// once on_closed has run, nothing is called any more. A handler may close it but not destroy it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"

namespace windlass::supervisor {

class Channel {
 public:
  // That a peer may send in all; what is more is closed.
  static constexpr size_t kMaxDescriptors = 4;
  // A request holds a command line and an environment, which the kernel limits to two megabytes.
  static constexpr size_t kMaxFrameBytes = 4 * 1024 * 1024;
  static constexpr size_t kMaxQueuedBytes = 64 * 1024 * 1024;

  struct Handlers {
    std::function<void(std::string_view frame)> on_frame;
    // Runs once; `why` is "" when the peer just closed.
    std::function<void(std::string_view why)> on_closed;
  };

  Channel(posix::EventLoop& loop, posix::FileDescriptor socket, Handlers handlers);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Queued and written when the loop comes to it, so that one turn's messages share a write.
  void send(std::string_view frame);
  // The descriptors travel with the first frame that a channel sends.
  void send_first(std::string_view frame, std::vector<posix::FileDescriptor> descriptors);
  // Those that have come so far.
  std::vector<posix::FileDescriptor> take_descriptors() { return std::exchange(received_, {}); }
  // Writes what is queued as far as the socket takes it, then closes.
  void close();

 private:
  static constexpr size_t kReadBytes = 64 * 1024;

  void on_event(uint32_t events);
  void read_some();
  void take_frames();
  void flush();
  ssize_t receive(char* buffer, size_t size);
  ssize_t transmit();
  void fail(std::string_view why);
  void release();

  posix::EventLoop& loop_;
  posix::FileDescriptor socket_;
  Handlers handlers_;
  posix::WatchId watch_ = posix::WatchId::none;
  bool writing_ = false;  // EPOLLOUT is watched
  bool closing_ = false;  // what goes wrong now is not told
  std::string input_;
  std::string output_;
  size_t written_ = 0;  // of output_
  std::vector<posix::FileDescriptor> to_send_;
  std::vector<posix::FileDescriptor> received_;
};

}  // namespace windlass::supervisor
