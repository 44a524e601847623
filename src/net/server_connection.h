// One client, as its I/O thread keeps it until close(): in its handshake (handshake.h), or speaking
// HTTP/1.1 (http1_connection.h) or HTTP/2 (http2_connection.h). Lives on that thread.
#pragma once

#include <memory>

#include "net/exchange_link.h"

namespace windlass::net {

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  virtual ~ServerConnection() = default;

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
};

}  // namespace windlass::net
