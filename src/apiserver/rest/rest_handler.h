// The front of the API server: HTTP requests in, answers out, no sockets. read_head() authenticates
// and authorizes; prepare() routes, negotiates and decodes; the calls it makes run on the core
// executor.
//
// Owns the state of the HTTP side (caches, open watches, counters). Created and destroyed on the
// core; must outlive the transport that calls it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/parsed_head.h"
#include "apiserver/discovery/discovery.h"
#include "apiserver/openapi/openapi.h"
#include "apiserver/rest/answers/stream_hub.h"
#include "apiserver/rest/hooks.h"
#include "apiserver/rest/rest_context.h"
#include "apiserver/rest/rest_request.h"
#include "http/handler.h"

namespace windlass::apiserver {

struct RestOptions {
  std::string address = "127.0.0.1:6443";  // for /api, where the transport does not know it
  std::string version = "0.0.0";           // of this program
  RestHooks hooks = {};
};

class RestHandler final : public http::Handler {
 public:
  RestHandler(Server& server, env::Executor& executor, env::Clock& clock, env::Random& random,
              Authenticator authenticator, RestOptions options);
  ~RestHandler() override;

  std::shared_ptr<http::RequestContext> read_head(const http::Request& head,
                                                  const http::Peer& peer) const override;
  // Refuses by the head alone. An anonymous caller may not send a body, not even to a path that
  // everyone may read.
  std::optional<http::Response> screen(const http::Request& head,
                                       http::RequestContext& context) const override;
  Prepared prepare(http::Request request) const override;

  // Lists and watches in progress. Core executor only.
  size_t open_streams() const { return streams_->size(); }

 private:
  // Answers to requests that never become a call are counted here.
  http::Response refuse_target(const Status& status) const;
  void observe(const RequestInfo& info, const http::Response& response, MonotonicTime began) const;

  Prepared route(RestRequest request, Result<Authorized> authorized) const;
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
