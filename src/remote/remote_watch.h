// One watch, on a connection that carries no other requests (watch_connections.h). The server is
// asked to end it after five to ten minutes, so that load spreads when servers come and go; a
// server that does not keep that is cut off a little later.
//
// Lives on the event loop; the transport outlives it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/codec/json/outline.h"
#include "client/api_client.h"
#include "env/random.h"
#include "remote/transport/transport.h"

namespace windlass::remote {

class RemoteWatch final : public client::Watch {
 public:
  static constexpr int64_t kMinSeconds = 300;
  static constexpr int64_t kMaxSeconds = 600;
  static constexpr Duration kOverdue = seconds(30);
  static constexpr Duration kHeadTimeout = seconds(30);  // until the server begins to answer

  struct Reading {
    std::string_view accept;
    const api::Outline* outline = nullptr;  // what is read of the objects; all of them without
  };

  // Without a version the watch is a list first.
  RemoteWatch(Transport& transport, env::Random& random, const client::Collection& collection,
              const std::optional<std::string>& resource_version, const Reading& reading,
              client::WatchHandler handler);
  ~RemoteWatch() override;

 private:
  class Session;
  std::shared_ptr<Session> stream_;
};

}  // namespace windlass::remote
