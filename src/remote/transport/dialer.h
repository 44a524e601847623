// Makes connections to one API server: looks its name up on a thread of its own, tries its
// addresses one after the other, and performs the TLS handshake. Lives on the event loop; loop,
// credentials and clock outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/stream/byte_stream.h"
#include "net/stream/endpoint.h"
#include "posix/event_loop.h"
#include "posix/worker_thread.h"
#include "remote/credentials.h"

namespace windlass::remote {

class Dialer {
 public:
  static constexpr Duration kAddressTimeout = seconds(10);  // to connect, with the handshake
  // To connect while there are other addresses to try: one that says nothing costs those who wait
  // only a part of their time.
  static constexpr Duration kNextAddressTimeout = seconds(2);

  struct Dialed {
    std::unique_ptr<net::ByteStream> stream;
    uint64_t tls_generation = 0;  // of the credentials that it was made with
  };
  using Done = std::function<void(Result<Dialed>)>;

  // Runs on the resolver's thread.
  using Resolve =
      std::function<Result<std::vector<net::Endpoint>>(const std::string& host, uint16_t port)>;

  // With `http2` that is offered to servers with TLS; their choice is the stream's protocol().
  Dialer(posix::EventLoop& loop, env::Clock& clock, Credentials& credentials, bool http2 = true,
         Resolve resolve = net::resolve);
  ~Dialer();
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;

  // `done` runs once, later, unless the answer is dropped before.
  [[nodiscard]] std::shared_ptr<void> dial(Done done);

  Credentials& credentials() { return credentials_; }

 private:
  class Attempt;

  posix::EventLoop& loop_;
  env::Clock& clock_;
  Credentials& credentials_;
  const bool http2_;
  const Resolve resolve_;
  std::unique_ptr<posix::WorkerThread> resolver_;  // made when a name has to be looked up
};

}  // namespace windlass::remote
