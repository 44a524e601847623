#include "cli/commands/ledger/ledger_record.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/flags/flags.h"
#include "cli/flags/node_flags.h"
#include "cli/ledger/opened_ledger.h"
#include "cli/process.h"
#include "evidence/attempt_watcher.h"
#include "net/http_server.h"
#include "plane/health_handler.h"
#include "plane/version.h"
#include "posix/process/inherited.h"
#include "remote/remote_client.h"
#include "remote/server_features.h"
#include "tracing/job_traces.h"

namespace windlass::cli {
namespace {

constexpr Duration kRecordingDrainLimit = seconds(5);
constexpr Duration kRecordingDrainLook = milliseconds(20);

remote::Transport::Options recording_transport(MetricFamily& requests) {
  remote::Transport::Options options;
  options.user_agent = "windlass-ledger/" + plane::version_number();
  options.on_answer = [&requests](std::string_view method, int status) {
    requests.add({status == 0 ? "<error>" : std::to_string(status), method});
  };
  return options;
}

}  // namespace

void declare_flags(Flags& flags, LedgerRecordOptions& options) {
  declare_cluster_flags(flags, options.cluster, LocalCluster::no);
  declare_namespace_filter(flags, options.ns);
  flags.text("--listen ADDRESS:PORT", options.listen,
             "Address of /healthz, /readyz and /metrics, over plain HTTP; \"\" turns them off");
  declare_verbosity(flags, options.verbosity);
  declare_remote_ledger(flags, options.ledger);
  flags.check([&options]() -> Result<void> {
    if (options.ledger.address.empty()) {
      return fail(plain_error(
          "must specify --ledger: sqlite:FILE, or postgresql://USER@HOST:PORT/DATABASE"));
    }
    return {};
  });
  flags.paragraph(
      "Watches Jobs and pods, and changes nothing. Pods do not wait for their records: one that is "
      "created and deleted while nothing watches leaves none. Runs until SIGTERM.");
  flags.exit_codes(
      {{0, "Stopped"}, {1, "Cannot use the cluster or the ledger"}, {2, "Wrong usage"}});
  flags.examples({"windlass ledger record --kubeconfig prod.yaml --ledger sqlite:prod.db",
                  "windlass ledger record --ledger postgresql://db/jobs --ledger-spool spool.db"});
}

ExitCode record_cluster(const LedgerRecordOptions& options, Output& output) {
  posix::raise_descriptor_limit();
  Process process(options.verbosity);
  const auto access = open_cluster(options.cluster, LocalCluster::no, process.files, output);
  if (!access) {
    return ExitCode::usage;
  }
  return process.run_session<LedgerRecording>(
      [&](std::optional<LedgerRecording>& session, const OnFinished& on_finished) {
        session.emplace(process.env(), process.loop, *access, options, output, on_finished);
      });
}

class LedgerRecording::Impl {
 public:
  Impl(env::Env env, posix::EventLoop& loop, remote::ClusterAccess access,
       LedgerRecordOptions options, Output& output, std::function<void(ExitCode)> on_finished)
      : env_(env),
        loop_(loop),
        options_(std::move(options)),
        output_(output),
        on_finished_(std::move(on_finished)),
        requests_(metrics_->counter("rest_client_requests_total",
                                    "Requests to the API server, by status code and method.",
                                    {"code", "method"})),
        credentials_(env.files, env.clock, std::move(access), remote::plugin_runner(loop)),
        dialer_(loop, env.clock, credentials_),
        transport_(loop, env.clock, env.random, dialer_, recording_transport(requests_)),
        client_(transport_, env.random, [] { return false; }),
        health_({[this] { return why_not_ready(); },
                 [this] { return ledger_ == nullptr ? "" : ledger_->lag(); },
                 [this] { return metrics_->text(); }}) {}

  void start() {
    if (const auto opened = open(); !opened) {
      return fail_with(opened.error().message);
    }
    client_.get_text("/version", [this](const Result<std::string>& text) {
      if (!text) {
        return fail_with(
            fmt::format("cannot use the cluster at {}: {}", server(), text.error().message));
      }
      watch(remote::read_version(*text).value_or("an unknown version"));
    });
  }

  void interrupt() {
    if (std::exchange(stopping_, true) || ledger_ == nullptr) {
      return finish(ExitCode::ok);
    }
    watcher_.reset();
    job_traces_.reset();
    drain_until_ = env_.clock.monotonic() + kRecordingDrainLimit;
    drain();
  }

  bool is_watching() const {
    return watcher_ && watcher_->has_synced() && (!job_traces_ || job_traces_->has_synced());
  }

 private:
  std::string server() const { return credentials_.access().server.text(); }

  std::string why_not_ready() const {
    if (ledger_ != nullptr && !ledger_->trouble().empty()) {
      return ledger_->trouble();
    }
    return is_watching() ? "" : "listing Jobs and pods";
  }

  Result<void> open() {
    if (!options_.listen.empty()) {
      net::ServerOptions server;
      server.io_threads = 1;
      TRY(server.endpoint, net::parse_endpoint(options_.listen));
      TRY(http_, net::HttpServer::start({loop_, env_.clock, env_.log}, health_, server));
    }
    TRY(ledger_, RemoteLedger::open(env_, loop_, client_, options_.ledger, metrics_));
    // A database that is away is no reason not to start.
    if (auto known = OpenedLedger::open(loop_, env_.clock, options_.ledger.address)) {
      known_ = *std::move(known);
    }
    return {};
  }

  void watch(const std::string& version) {
    if (stopping_) {
      return;
    }
    output_.err(fmt::format("windlass {}: recording attempts of Jobs on {} ({}){}\n",
                            plane::version_number(), server(), version,
                            options_.ns.empty() ? "" : ", namespace " + options_.ns));
    const client::ClientEnv client{client_, loop_, env_.clock, env_.random, env_.log};
    watcher_.emplace(client, ledger_->attempts(),
                     evidence::AttemptWatcher::Options{
                         .ns = options_.ns, .known = known_ ? &known_->attempts() : nullptr});
    watcher_->start();
    if (tracing::SpanExporter* spans = ledger_->spans()) {
      job_traces_.emplace(client, *spans, tracing::JobTraces::Options{.ns = options_.ns});
      job_traces_->start();
    }
  }

  void drain() {
    if (ledger_->attempts().pods() > 0 && env_.clock.monotonic() < drain_until_) {
      loop_.schedule(kRecordingDrainLook, [this] { drain(); });
      return;
    }
    if (const size_t lost = ledger_->attempts().pods(); lost > 0) {
      output_.err(fmt::format("warning: {} ended attempts are not recorded\n", lost));
    }
    ledger_->finish([this] {
      output_.err("Stopped\n");
      finish(ExitCode::ok);
    });
  }

  void fail_with(const std::string& why) {
    output_.err(fmt::format("error: {}\n", why));
    finish(ExitCode::failed);
  }

  void finish(ExitCode code) {
    stopping_ = true;
    if (auto on_finished = std::exchange(on_finished_, nullptr)) {
      loop_.post([on_finished = std::move(on_finished), code] { on_finished(code); });
    }
  }

  env::Env env_;
  posix::EventLoop& loop_;
  const LedgerRecordOptions options_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  bool stopping_ = false;
  MonotonicTime drain_until_;

  std::shared_ptr<MetricRegistry> metrics_ = std::make_shared<MetricRegistry>();
  MetricFamily& requests_;
  remote::Credentials credentials_;
  remote::Dialer dialer_;
  remote::Transport transport_;
  remote::RemoteClient client_;
  std::unique_ptr<RemoteLedger> ledger_;
  std::unique_ptr<OpenedLedger> known_;
  std::optional<evidence::AttemptWatcher> watcher_;
  std::optional<tracing::JobTraces> job_traces_;
  plane::HealthHandler health_;
  std::unique_ptr<net::HttpServer> http_;
};

LedgerRecording::LedgerRecording(env::Env env, posix::EventLoop& loop, remote::ClusterAccess access,
                                 LedgerRecordOptions options, Output& output,
                                 std::function<void(ExitCode)> on_finished)
    : impl_(std::make_unique<Impl>(env, loop, std::move(access), std::move(options), output,
                                   std::move(on_finished))) {}

LedgerRecording::~LedgerRecording() = default;

void LedgerRecording::start() {
  impl_->start();
}

bool LedgerRecording::is_watching() const {
  return impl_->is_watching();
}

void LedgerRecording::interrupt() {
  impl_->interrupt();
}

}  // namespace windlass::cli
