// One client, as its I/O thread keeps it until close(): in its handshake (handshake.h), or speaking
// HTTP/1.1 (http1_connection.h) or HTTP/2 (http2_connection.h). Lives on that thread.
#pragma once

#include <cstddef>
#include <memory>

#include "net/exchange_link.h"

namespace windlass::net {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  virtual ~Connection() = default;

  virtual void start() = 0;
  // A step of the answer to the request that the link is of. The caller calls advance() when it has
  // no more.
  virtual void take_step(ExchangeLink& link, AnswerStep step) = 0;
  // Reads, answers and writes as far as it goes without waiting, or as far as one turn goes.
  virtual void advance() = 0;
  // The server stops: ends now, or after the answers under way.
  virtual void wind_down() = 0;
  // Cuts it. Nothing happens on it any more.
  virtual void close() = 0;
  // An answer to it is being made or on its way. One that is not busy may be closed to make room.
  virtual bool is_busy() const = 0;

 protected:
  // Steps, reads and writes mostly, that one may take before others have their turn.
  static constexpr int kMaxStepsPerTurn = 32;
  // Behind the last answer, read and dropped so that the client gets to read it.
  static constexpr size_t kMaxDiscardedBytes = size_t{8} * 1024 * 1024;
};

}  // namespace windlass::net
