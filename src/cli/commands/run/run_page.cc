#include "cli/commands/run/run_page.h"

#include <utility>

#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/user.h"
#include "apiserver/rest/rest_handler.h"
#include "cli/commands/dashboard/server_backend.h"
#include "dashboard/page_handler.h"
#include "ledger/no_attempts.h"
#include "net/http_server.h"
#include "plane/attempt_ledger.h"
#include "plane/logs/pod_logs.h"
#include "posix/worker_thread.h"

namespace windlass::cli {
namespace {

// A login belongs to the one who started the run, and who may see all of it.
apiserver::User page_user() {
  return apiserver::authenticated_user("run", {std::string(apiserver::kViewerGroup)});
}

class ServedRunPage final : public RunPage {
 public:
  ServedRunPage(env::Env env, plane::EmbeddedCluster& cluster, const FindNodeDirectory& find_node)
      : env_(env),
        no_attempts_(env.executor),
        search_worker_(env.clock, "ledger-search"),
        page_worker_(env.clock, "page"),
        logs_(env, cluster.server(), find_node),
        api_(cluster.server(), env.executor, env.clock, env.random, apiserver::Authenticator({}),
             rest_options()),
        backend_(env.executor, apiserver::Authenticator({}), api_,
                 [](const dashboard::RerunOrder& /*order*/, const client::Done<std::string>& done) {
                   done(fail(forbidden({"batch", "jobs", ""}, "a run is not changed")));
                 }) {}

  Result<void> serve(posix::EventLoop& loop, const client::ClientEnv& client_env,
                     const RunFolder* folder) {
    if (folder != nullptr) {
      TRY(attempts_, plane::open_attempt_source(env_, search_worker_, folder->path(),
                                                ledger::LedgerPlace{}.file));
    }
    page_ = std::make_unique<dashboard::PageHandler>(
        client_env, page_worker_,
        attempts_ ? static_cast<ledger::AttemptSource&>(*attempts_) : no_attempts_, backend_,
        dashboard::PageOptions{.guard = {.tls = false},
                               .scope = {.reruns = false},
                               .login = "windlass run --dashboard"});
    const net::ServerOptions options{.endpoint = {"127.0.0.1", 0}, .io_threads = 1};
    TRY(http_, net::HttpServer::start({loop, env_.clock, env_.log}, *page_, options));
    return {};
  }

  std::string address() const override {
    return dashboard::PageHandler::login_url(
        "http://" + http_->endpoint().text(),
        page_->offer_login(ServerBackend::viewer_of(page_user())));
  }

  void end(const std::function<void()>& then) override {
    page_->end(gone("The run has ended. This is how it was"), [this, then] { http_->stop(then); });
  }

 private:
  apiserver::RestOptions rest_options() {
    apiserver::RestOptions options;
    options.hooks.read_log = [this](const apiserver::LogRequest& request,
                                    const std::shared_ptr<http::Exchange>& exchange) {
      logs_.read(request, exchange);
    };
    return options;
  }

  env::Env env_;
  ledger::NoAttemptSource no_attempts_;
  posix::WorkerThread search_worker_;
  posix::WorkerThread page_worker_;
  std::unique_ptr<ledger::SqliteAttemptSource> attempts_;
  plane::PodLogs logs_;
  apiserver::RestHandler api_;
  ServerBackend backend_;
  std::unique_ptr<dashboard::PageHandler> page_;
  std::unique_ptr<net::HttpServer> http_;
};

}  // namespace

Result<std::unique_ptr<RunPage>> open_run_page(env::Env env, posix::EventLoop& loop,
                                               plane::EmbeddedCluster& cluster,
                                               const FindNodeDirectory& find_node,
                                               const RunFolder* folder) {
  auto page = std::make_unique<ServedRunPage>(env, cluster, find_node);
  TRY_VOID(page->serve(loop, cluster.client_env(), folder));
  return std::unique_ptr<RunPage>(std::move(page));
}

}  // namespace windlass::cli
