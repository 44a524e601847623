#include "cli/commands/dashboard/dashboard.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>
#include <string_view>
#include <utility>

#include "cli/commands/dashboard/remote_backend.h"
#include "cli/flags/command_line.h"
#include "cli/process.h"
#include "dashboard/page_handler.h"
#include "ledger/api_attempts.h"
#include "net/http_server.h"
#include "posix/worker_thread.h"
#include "remote/exec_plugin.h"

namespace windlass::cli {
namespace {

ExitCode show_dashboard(DashboardOptions options, Output& output) {
  posix::PosixFiles files;
  const auto access = open_cluster(options.cluster, LocalCluster::yes, files, output);
  if (!access) {
    return ExitCode::usage;
  }
  if (!options.no_browser && output.is_terminal(Output::Stream::out)) {
    options.browser = desktop_browser(data_dir_or_default(""));
  }
  Process process(0);
  return process.run_session<DashboardSession>(
      [&](std::optional<DashboardSession>& session, const OnFinished& on_finished) {
        session.emplace(process.env(), process.loop, *access, options, output, on_finished);
      });
}

// The token of an answer to POST /ui/data/logins.
std::optional<std::string> read_token(const Result<remote::HttpAnswer>& answer) {
  simdjson::dom::parser parser;
  std::string_view token;
  if (!answer || answer->status != 200 ||
      parser.parse(answer->body)["token"].get(token) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return std::string(token);
}

}  // namespace

void declare_flags(Flags& flags, DashboardOptions& options) {
  flags.text("-n,--namespace NAMESPACE", options.ns,
             "Show the Jobs of this namespace (default: all; with this program as the server)");
  flags.toggle("--serve", options.serve,
               "Serve the page on this machine, even if the cluster is a `windlass up`, which "
               "serves it itself");
  flags.text("--listen ADDRESS", options.listen, "Address to serve the page at");
  flags.toggle("--no-browser", options.no_browser,
               "Only print the address (default: on a desktop, open it, too)");
  declare_cluster_flags(flags, options.cluster, LocalCluster::yes);
  flags.paragraph(
      "Prints the address of the page, with a login that works once and for five minutes, and on "
      "a desktop opens it. "
      "`windlass up` serves the page itself. For any other cluster, and with --kubeconfig, "
      "--context or --serve, this command serves it on this machine until Ctrl-C, with the rights "
      "of the kubeconfig.");
  flags.exit_codes({{0, "Printed, or stopped"}, {1, "No answer"}, {2, "Wrong usage"}});
  flags.examples({"windlass dashboard", "windlass dashboard --kubeconfig ~/.kube/config",
                  "windlass dashboard --serve -n nightly"});
}

Command dashboard_command() {
  return make_command<DashboardOptions>("dashboard", "Look at Jobs, indexes and logs in a browser",
                                        show_dashboard);
}

class DashboardSession::Impl {
 public:
  Impl(env::Env env, posix::EventLoop& loop, const remote::ClusterAccess& access,
       DashboardOptions options, Output& output, std::function<void(ExitCode)> on_finished)
      : env_(env),
        loop_(loop),
        access_(access),
        options_(std::move(options)),
        output_(output),
        on_finished_(std::move(on_finished)),
        credentials_(env.files, env.clock, access, remote::plugin_runner(loop)),
        dialer_(loop, env.clock, credentials_),
        transport_(loop, env.clock, env.random, dialer_, {}),
        client_(transport_, env.random),
        attempts_(client_),
        reruns_(env.executor, client_, attempts_,
                [this](const std::string& path, client::Done<std::string> done) {
                  client_.get_text(path, std::move(done));
                }),
        backend_(env.executor, client_, reruns_) {}

  void start() {
    const bool serves = options_.serve || !options_.ns.empty() ||
                        !options_.cluster.kubeconfig.empty() || !options_.cluster.context.empty();
    if (serves) {
      return serve();
    }
    remote::HttpRequest request{"POST", "/ui/data/logins"};
    request.content_type = "application/json";
    request.accept = "application/json";
    request.body = "{}";
    transport_.send(std::move(request), [this](const Result<remote::HttpAnswer>& answer) {
      if (const auto token = read_token(answer)) {
        say_address(access_.server.text(), *token);
        return finish(ExitCode::ok);
      }
      // Another API server has no page; one that is not there is an error.
      answer ? serve() : fail_with(answer.error(), ExitCode::failed);
    });
  }

  void interrupt() {
    if (http_ == nullptr || std::exchange(stopping_, true)) {
      return finish(ExitCode::ok);
    }
    http_->stop([this] { finish(ExitCode::ok); });
  }

 private:
  void serve() {
    const auto endpoint = net::parse_endpoint(options_.listen);
    if (!endpoint) {
      return fail_with(endpoint.error(), ExitCode::usage);
    }
    if (!endpoint->is_loopback()) {
      return fail_with(plain_error("--listen must be an address of this machine alone, such as "
                                   "127.0.0.1:8080: the page is served without encryption"),
                       ExitCode::usage);
    }
    worker_.emplace(env_.clock, "page");
    page_ = std::make_unique<dashboard::PageHandler>(
        client::ClientEnv{client_, env_.executor, env_.clock, env_.random, env_.log}, *worker_,
        attempts_, backend_,
        dashboard::PageOptions{
            .guard = {.tls = false}, .scope = {.ns = options_.ns}, .login = "windlass dashboard"});
    net::ServerOptions server;
    server.io_threads = net::fitting_io_threads();
    server.endpoint = *endpoint;
    auto started = net::HttpServer::start({loop_, env_.clock, env_.log}, *page_, server);
    if (!started) {
      return fail_with(started.error(), ExitCode::failed);
    }
    http_ = *std::move(started);
    auto viewer = std::make_shared<dashboard::Viewer>();
    viewer->name = access_.context;
    viewer->caller = {access_.context, http::Caller::Rank::admin};
    say_address("http://" + http_->endpoint().text(), page_->offer_login(viewer));
    output_.err(fmt::format("Serving the page for {} until Ctrl-C\n", access_.server.text()));
  }

  void say_address(const std::string& server, const std::string& token) {
    output_.err("Open this in a browser; it works once, within five minutes:\n");
    const std::string url = dashboard::PageHandler::login_url(server, token);
    output_.out(url + "\n");
    if (const auto opened = open_browser(env_.files, options_.browser, url); !opened) {
      output_.err(fmt::format("note: cannot open a browser: {}\n", opened.error().message));
    }
  }

  void fail_with(const Status& status, ExitCode code) {
    output_.err(fmt::format("error: {}\n", status.message));
    finish(code);
  }

  void finish(ExitCode code) {
    if (auto on_finished = std::exchange(on_finished_, nullptr)) {
      env_.executor.post([on_finished = std::move(on_finished), code] { on_finished(code); });
    }
  }

  env::Env env_;
  posix::EventLoop& loop_;
  const remote::ClusterAccess access_;
  const DashboardOptions options_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  bool stopping_ = false;
  remote::Credentials credentials_;
  remote::Dialer dialer_;
  remote::Transport transport_;
  remote::RemoteClient client_;
  ledger::ApiAttemptSource attempts_;
  PageReruns reruns_;
  RemoteBackend backend_;
  std::optional<posix::WorkerThread> worker_;
  std::unique_ptr<dashboard::PageHandler> page_;
  std::unique_ptr<net::HttpServer> http_;
};

DashboardSession::DashboardSession(env::Env env, posix::EventLoop& loop,
                                   const remote::ClusterAccess& access, DashboardOptions options,
                                   Output& output, std::function<void(ExitCode)> on_finished)
    : impl_(std::make_unique<Impl>(env, loop, access, std::move(options), output,
                                   std::move(on_finished))) {}

DashboardSession::~DashboardSession() = default;

void DashboardSession::start() {
  impl_->start();
}

void DashboardSession::interrupt() {
  impl_->interrupt();
}

}  // namespace windlass::cli
