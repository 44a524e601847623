#pragma once

#include <memory>
#include <string>

#include "net/stream/byte_stream.h"

struct ssl_st;

namespace windlass::net {

// TLS over a socket, on the side that its handle was made for. Small parts are put together into
// one record, so that an answer's head and body do not cost two.
class TlsStream final : public ByteStream {
 public:
  struct Free {
    void operator()(ssl_st* connection) const;
  };
  using Handle = std::unique_ptr<ssl_st, Free>;

  TlsStream(posix::FileDescriptor fd, Handle handle);
  // Over another stream, which the handle reads and writes through.
  TlsStream(std::unique_ptr<ByteStream> below, Handle handle);

  int fd() const override { return below_ == nullptr ? ByteStream::fd() : below_->fd(); }
  Io handshake(http::Peer& peer) override;
  std::string protocol() const override;
  Transfer read(std::span<char> buffer) override;
  bool has_received() const override;
  Transfer write(std::span<const std::string_view> parts) override;
  void finish_writing() override;
  std::string failure() const override { return failure_; }

 private:
  Io result_of(int returned);
  void note_failure();
  void answer_plain_http();

  std::unique_ptr<ByteStream> below_;  // instead of a socket of its own; outlives the handle
  Handle handle_;
  std::string failure_;
};

}  // namespace windlass::net
