#pragma once

#include "net/stream/byte_stream.h"

namespace windlass::net {

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
