// The front of the API server: HTTP requests in, answers out, no sockets. prepare() authenticates,
// authorizes, routes, negotiates and decodes; what it makes runs on the core executor.
//
// Owns what belongs to the HTTP side (caches, open watches, counters). Made and destroyed on the
// core; must outlive the transport that calls it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "apiserver/auth/authenticator.h"
#include "apiserver/discovery/discovery.h"
#include "apiserver/openapi/openapi.h"
#include "apiserver/rest/hooks.h"
#include "apiserver/rest/rest_context.h"
#include "apiserver/rest/rest_request.h"
#include "apiserver/rest/stream_hub.h"
#include "http/handler.h"

namespace windlass::apiserver {

struct RestOptions {
  std::string address = "127.0.0.1:6443";  // for /api, where the transport does not know it
  std::string version = "0.0.0";           // of this program
  Hooks hooks = {};
};

class RestHandler final : public http::Handler {
 public:
  RestHandler(Server& server, env::Executor& executor, env::Clock& clock, env::Random& random,
              Authenticator authenticator, RestOptions options);
  ~RestHandler() override;

  http::Caller identify(const http::Headers& headers, const http::Peer& peer) const override;
  Prepared prepare(http::Request request) const override;
  // The checks of prepare() that need the head alone. A body of somebody unknown is not waited for
  // even where anybody may read.
  std::optional<http::Response> screen(const http::Request& head,
                                       const http::Peer& peer) const override;

  // Lists and watches in progress. Core executor only.
  size_t open_streams() const { return streams_->size(); }

 private:
  Prepared route(RestRequest request) const;
  Prepared route_resource(RestRequest request) const;
  Prepared dispatch(RestRequest request) const;
  Prepared route_path(RestRequest request) const;

  Authenticator authenticator_;
  RestOptions options_;
  Discovery discovery_;
  OpenApi openapi_;
  std::shared_ptr<RestContext> context_;
  std::unique_ptr<StreamHub> streams_;
};

}  // namespace windlass::apiserver
