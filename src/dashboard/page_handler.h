// Serves the page under /ui/, and leaves every other path to the API. Its files are for everyone;
// its data is for sessions. Nothing else accepts a session: the API knows only its own credentials.
//
//   GET  /ui/            the page; /ui/NAME.js and /ui/style.css
//   POST /ui/data/logins a one-time token, for a program with credentials of the API
//   POST /ui/data/login  a session, for a page with such a token
//   POST /ui/data/logout
//   GET  /ui/data/...    overview, job, log, kept-log, rights
//   POST /ui/data/rerun
//
// Made and destroyed on the core executor; must outlive the transport that calls it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dashboard/page_guard.h"
#include "dashboard/page_service.h"
#include "dashboard/sessions.h"
#include "dashboard/viewer.h"
#include "http/handler.h"
#include "http/target.h"

namespace windlass::dashboard {

struct PageOptions {
  const http::Handler* api = nullptr;  // for the other paths; null: there are none
  PageGuard::Options guard = {};
  PageScope scope = {};
  std::string login = {};  // the command that makes a new login
};

class PageHandler final : public http::Handler {
 public:
  static constexpr size_t kMaxBodyBytes = size_t{1} << 20;
  static constexpr size_t kMaxLoginBytes = 1024;

  PageHandler(client::ClientEnv env, env::Executor& worker, ledger::AttemptSource& attempts,
              Backend& backend, PageOptions options);
  ~PageHandler() override;

  // A one-time login for that user. Core executor.
  std::string offer_login(ViewerPtr viewer) { return sessions_->offer(std::move(viewer)); }
  // PageService::end().
  void end(const Status& why, const std::function<void()>& then) { service_->end(why, then); }
  // Of a login at a server with this address.
  static std::string login_url(const std::string& server, const std::string& token) {
    return server + "/ui/#login=" + token;
  }

  std::shared_ptr<http::RequestContext> read_head(const http::Request& head,
                                                  const http::Peer& peer) const override;
  std::optional<http::Response> screen(const http::Request& head,
                                       http::RequestContext& context) const override;
  std::variant<http::Response, std::unique_ptr<http::Call>> prepare(
      http::Request request) const override;

 private:
  using Prepared = std::variant<http::Response, std::unique_ptr<http::Call>>;
  struct Context;

  bool is_for_page(const std::string& target) const;
  // Fills in the viewer.
  Result<void> check(const http::Request& head, const http::Peer& peer, Context& context) const;
  Prepared file(const http::Request& request, const http::Target& target) const;
  Prepared read_data(const Context& context, const std::string& what) const;
  Prepared write_data(const http::Request& request, const Context& context,
                      const std::string& what) const;
  Prepared login(const http::Request& request) const;

  const PageOptions options_;
  const PageGuard guard_;
  const std::shared_ptr<Sessions> sessions_;
  const std::shared_ptr<PageService> service_;
  Backend& backend_;
};

}  // namespace windlass::dashboard
