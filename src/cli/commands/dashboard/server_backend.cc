#include "cli/commands/dashboard/server_backend.h"

#include <simdjson.h>

#include <memory>
#include <utility>
#include <variant>

#include "apiserver/auth/authorizer.h"
#include "apiserver/auth/parsed_head.h"

namespace windlass::cli {
namespace {

struct ServerViewer final : dashboard::Viewer {
  apiserver::User user;
};

const apiserver::User& user_of(const dashboard::Viewer& viewer) {
  return static_cast<const ServerViewer&>(viewer).user;
}

// The text of an answer, or its error.
Result<std::string> text_of_answer(int status, std::string body) {
  if (status < 400) {
    return body;
  }
  simdjson::dom::parser parser;
  std::string_view message;
  const bool has_message = parser.parse(body)["message"].get(message) == simdjson::SUCCESS;
  return fail(Status{status, "", has_message ? std::string(message) : std::move(body), {}});
}

// Collects an answer, whether it comes at once or in pieces.
class TextExchange final : public http::Exchange {
 public:
  explicit TextExchange(client::Done<std::string> done) : done_(std::move(done)) {}

  void respond(http::Response response) override {
    status_ = response.status;
    text_ = response.take_body();
    finish();
  }
  void start(int status, http::Headers /*headers*/) override { status_ = status; }
  void write(http::Chunk chunk) override {
    if (text_.size() + chunk->size() <= ServerBackend::kMaxTextBytes) {
      text_ += *chunk;
    }
  }
  void finish() override {
    if (const auto done = std::exchange(done_, nullptr)) {
      done(text_of_answer(status_, std::move(text_)));
    }
  }
  void abort() override {
    status_ = 500;
    text_ = "the answer was cut off";
    finish();
  }
  size_t unsent() const override { return 0; }
  void when_unsent_at_most(size_t /*bytes*/, std::function<void()> then) override { then(); }
  // The page that asked cannot take it back.
  void when_closed(std::function<void()> /*then*/) override {}

 private:
  int status_ = 200;
  std::string text_;
  client::Done<std::string> done_;
};

}  // namespace

ServerBackend::ServerBackend(env::Executor& executor, apiserver::Authenticator authenticator,
                             const apiserver::RestHandler& api, Rerun rerun)
    : executor_(executor),
      authenticator_(std::move(authenticator)),
      api_(api),
      rerun_(std::move(rerun)) {}

Result<dashboard::ViewerPtr> ServerBackend::identify(const http::Headers& headers,
                                                     const http::Peer& peer) const {
  TRY(apiserver::User user, authenticator_.authenticate(headers, peer));
  TRY(user, apiserver::impersonate(std::move(user), headers));
  if (user.is_anonymous()) {
    return fail(unauthorized());
  }
  return viewer_of(std::move(user));
}

dashboard::ViewerPtr ServerBackend::viewer_of(apiserver::User user) {
  auto viewer = std::make_shared<ServerViewer>();
  viewer->name = user.name;
  viewer->caller = {user.name, apiserver::rank_of(user)};
  viewer->user = std::move(user);
  return viewer;
}

void ServerBackend::check(const dashboard::Viewer& viewer, const dashboard::Access& access,
                          client::Done<void> done) {
  apiserver::RequestInfo info;
  info.is_resource = true;
  info.verb = access.verb;
  info.group = access.group;
  info.version = "v1";
  info.resource = access.resource;
  info.subresource = access.subresource;
  info.ns = access.ns;
  Result<void> allowed;
  const Result<bool> granted = apiserver::authorize(user_of(viewer), info);
  if (!granted) {
    allowed = fail(granted.error());
  } else if (*granted) {
    // It depends on the object, as for a node: the page shows more than that.
    allowed = fail(forbidden({access.group, access.resource, ""}, "the page needs all of them"));
  }
  executor_.post([done = std::move(done), allowed] { done(allowed); });
}

void ServerBackend::read_text(const dashboard::Viewer& viewer, const std::string& path,
                              client::Done<std::string> done) {
  http::Request request{"GET", path};
  request.context = apiserver::head_of_user(user_of(viewer), request);
  auto exchange = std::make_shared<TextExchange>(
      [&executor = executor_, done = std::move(done)](Result<std::string> text) {
        executor.post([done, text = std::move(text)] { done(text); });
      });
  auto prepared = api_.prepare(std::move(request));
  if (auto* response = std::get_if<http::Response>(&prepared)) {
    return exchange->respond(std::move(*response));
  }
  std::get<std::unique_ptr<http::Call>>(prepared)->run(exchange);
}

void ServerBackend::rerun(const dashboard::RerunOrder& order, client::Done<std::string> done) {
  rerun_(order, std::move(done));
}

}  // namespace windlass::cli
