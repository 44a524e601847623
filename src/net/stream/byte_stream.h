// One connected socket, plain or TLS, without blocking. Owns the descriptor: unwatch it
// first. Lives on one I/O thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "http/message.h"
#include "posix/files/file_descriptor.h"

namespace windlass::net {

enum class Io {
  done,
  want_read,   // again once the socket is readable
  want_write,  // again once it is writable
  closed,      // the other side has ended it properly
  failed,
};

struct Transfer {
  Io result = Io::failed;
  size_t bytes = 0;  // with `done` at least one
};

// What ALPN calls HTTP/2.
inline constexpr std::string_view kHttp2 = "h2";

class ByteStream {
 public:
  // Parts that one write looks at.
  static constexpr size_t kMaxParts = 32;

  virtual ~ByteStream() = default;

  virtual int fd() const { return fd_.get(); }

  // Before anything else, until `done`. Fills in what a client certificate says; fails for one that
  // our authority has not signed.
  virtual Io handshake(http::Peer& peer) = 0;
  // What both sides agreed to speak (ALPN), after the handshake; "" where nothing was said.
  virtual std::string protocol() const { return {}; }
  virtual Transfer read(std::span<char> buffer) = 0;
  // Something was received and not yet read, of which the socket itself tells no more.
  virtual bool has_received() const { return false; }
  // As much as goes, in order. After want_*, the next call begins with the same bytes.
  virtual Transfer write(std::span<const std::string_view> parts) = 0;
  // Nothing more will be written; best effort.
  virtual void finish_writing() = 0;
  // Why something has failed, for people; "" where that is not known.
  virtual std::string failure() const { return {}; }

 protected:
  explicit ByteStream(posix::FileDescriptor fd) : fd_(std::move(fd)) {}
  posix::FileDescriptor fd_;
};

// TCP as it is: for tests and benchmarks; a control plane always speaks TLS.
class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(posix::FileDescriptor fd) : ByteStream(std::move(fd)) {}

  Io handshake(http::Peer& peer) override;
  Transfer read(std::span<char> buffer) override;
  Transfer write(std::span<const std::string_view> parts) override;
  void finish_writing() override;
};

}  // namespace windlass::net
