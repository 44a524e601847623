#include "cli/commands/controller/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "api/field_error.h"
#include "api/names.h"
#include "api/uuid.h"
#include "base/metrics.h"
#include "cli/commands/controller/built_in_controller.h"
#include "cli/flags/command_line.h"
#include "cli/flags/manifest_flags.h"
#include "cli/flags/node_flags.h"
#include "cli/process.h"
#include "client/fenced_client.h"
#include "client/leader_election.h"
#include "controllers/job/adapter.h"
#include "controllers/job/controller.h"
#include "net/http_server.h"
#include "plane/health_handler.h"
#include "plane/version.h"
#include "posix/process/inherited.h"
#include "remote/remote_client.h"
#include "remote/server_features.h"
#include "tracing/job_traces.h"

namespace windlass::cli {
namespace {

constexpr Duration kDrainLimit = seconds(5);
constexpr Duration kDrainLook = milliseconds(20);
constexpr int64_t kJobsOfAPage = 500;  // when looking for traces of the built-in controller
constexpr Duration kLeaseRequestTimeout = seconds(5);
constexpr size_t kLeaseConnections = 2;
// A dead connection is detected and replaced well within the time in which the lease has to be
// renewed.
constexpr Duration kLeaseReadIdle = seconds(3);
constexpr Duration kLeasePingTimeout = seconds(2);

std::string lease_name_of(const ControllerOptions& options) {
  if (!options.lease_name.empty()) {
    return options.lease_name;
  }
  std::string name = options.replaces_built_in() ? "windlass-job-controller" : options.manager;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '_'; }, '-');
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

std::string lease_namespace_of(const ControllerOptions& options,
                               const remote::ClusterAccess& access) {
  if (!options.lease_namespace.empty()) {
    return options.lease_namespace;
  }
  // The namespace of the pod, wherever the Jobs are: its role grants access to the lease there.
  if (access.context == "in-cluster") {
    return access.ns;
  }
  return options.ns.empty() ? "kube-system" : options.ns;
}

remote::Transport::Options transport_options(MetricFamily& requests) {
  remote::Transport::Options options;
  options.user_agent = "windlass/" + plane::version_number();
  options.on_answer = [&requests](std::string_view method, int status) {
    requests.add({status == 0 ? "<error>" : std::to_string(status), method});
  };
  return options;
}

// For the election, and for the requests before it: few and quick.
remote::Transport::Options lease_transport_options(MetricFamily& requests) {
  remote::Transport::Options options = transport_options(requests);
  options.connections = kLeaseConnections;
  options.request_timeout = kLeaseRequestTimeout;
  options.http2.read_idle = kLeaseReadIdle;
  options.http2.ping_timeout = kLeasePingTimeout;
  return options;
}

remote::Transport::Options job_transport_options(const ControllerOptions& controller,
                                                 MetricFamily& requests) {
  remote::Transport::Options options = transport_options(requests);
  if (controller.connections != 0) {
    options.connections = controller.connections;
    options.http2.streams = controller.connections;
  }
  options.requests_per_second = controller.requests_per_second;
  options.burst = controller.burst;
  return options;
}

// Unique to this process, and with the name of its host.
std::string unique_identity(env::Random& random) {
  std::array<std::byte, 16> bytes;
  random.fill(bytes);
  return posix::host_name() + "_" + api::uuid_from_random(bytes);
}

ExitCode run_controller(const ControllerOptions& options, Output& output) {
  posix::raise_descriptor_limit();
  Process process(options.verbosity);
  const auto access = open_cluster(options.cluster, LocalCluster::no, process.files, output);
  if (!access) {
    return ExitCode::usage;
  }
  return process.run_session<ControllerSession>(
      [&](std::optional<ControllerSession>& session, const OnFinished& on_finished) {
        session.emplace(process.env(), process.loop, *access, options,
                        unique_identity(process.random), output, on_finished);
      });
}

Result<void> read_manager(const std::string& managed_by, bool replace_built_in,
                          std::string& manager) {
  if (replace_built_in == !managed_by.empty()) {
    return fail(plain_error("must specify either --managed-by NAME or --replace-builtin"));
  }
  if (managed_by == api::kBuiltInJobController) {
    return fail(plain_error(fmt::format(
        "invalid --managed-by \"{}\": this name is that of the built-in controller; use "
        "--replace-builtin",
        managed_by)));
  }
  api::FieldErrors errors;  // a Job cannot have a name that validation rejects
  api::validate_domain_prefixed_path(errors, api::FieldPath("managedBy"), managed_by);
  if (!managed_by.empty() && !errors.empty()) {
    return fail(
        plain_error(fmt::format("invalid --managed-by \"{}\": must be a path with a domain, "
                                "such as windlass.dev/job-controller",
                                managed_by)));
  }
  manager = replace_built_in ? std::string(api::kBuiltInJobController) : managed_by;
  return {};
}

Result<void> check_lease(const ControllerOptions& options) {
  if (options.renew_deadline <= options.retry || options.lease <= options.renew_deadline) {
    return fail(plain_error(
        "--leader-elect-lease-duration must be above --leader-elect-renew-deadline, and that above "
        "--leader-elect-retry-period"));
  }
  return {};
}

void declare_jobs_to_manage(Flags& flags, ControllerOptions& options) {
  struct Managed {
    std::string by = {};
    bool replace_built_in = false;
  };
  const auto managed = std::make_shared<Managed>();
  flags.text("--managed-by NAME", managed->by,
             "Manage the Jobs with this spec.managedBy. Example: windlass.dev/job-controller");
  flags.toggle("--replace-builtin", managed->replace_built_in,
               "Manage all Jobs without another manager; the built-in Job controller of the "
               "cluster must be turned off");
  declare_namespace_filter(flags, options.ns);
  flags.check([managed, &options] {
    return read_manager(managed->by, managed->replace_built_in, options.manager);
  });
}

void declare_election(Flags& flags, ControllerOptions& options) {
  flags.heading("Leader election");
  flags.toggle("--leader-elect", options.leader_elect,
               "Hold a Lease while managing Jobs, so that several replicas may run");
  flags.text("--leader-elect-resource-namespace NAME", options.lease_namespace,
             "Namespace of the Lease (default: that of the pod, --namespace, or kube-system)");
  flags.text("--leader-elect-resource-name NAME", options.lease_name,
             "Name of the Lease (default: made from --managed-by)");
  flags.duration("--leader-elect-lease-duration DURATION", options.lease,
                 "Time after the last renewal when other replicas may take the Lease");
  flags.duration("--leader-elect-renew-deadline DURATION", options.renew_deadline,
                 "Time after which a leader that cannot renew the Lease stops");
  flags.duration("--leader-elect-retry-period DURATION", options.retry,
                 "Time between two attempts to take or renew the Lease");
  flags.check([&options] { return check_lease(options); });
}

void declare_requests(Flags& flags, ControllerOptions& options) {
  constexpr size_t kMaxAtATime = 1000;
  flags.heading("Requests");
  flags.number("--concurrent-job-syncs NUMBER", options.concurrent_syncs,
               "Number of Jobs to sync at the same time", {1, kMaxAtATime});
  flags.number("--connections NUMBER", options.connections,
               "Number of concurrent requests to the API server (default: 100; 32 over HTTP/1.1)",
               {1, kMaxAtATime});
  flags.toggle("--disable-http2", options.disable_http2,
               "Use HTTP/1.1 for requests to the API server");
  constexpr double kNoLimit = std::numeric_limits<double>::max();
  flags.number("--kube-api-qps NUMBER", options.requests_per_second,
               "Requests per second to the API server (default: unlimited)", {0, kNoLimit});
  flags.number("--kube-api-burst NUMBER", options.burst,
               "Requests that may exceed --kube-api-qps for a moment (default: 1)", {0, kNoLimit});
}

}  // namespace

void declare_flags(Flags& flags, ControllerOptions& options) {
  declare_cluster_flags(flags, options.cluster, LocalCluster::no);
  declare_jobs_to_manage(flags, options);
  declare_backoff_flags(flags, options);
  flags.text("--listen ADDRESS:PORT", options.listen,
             "Address of /healthz, /readyz and /metrics, over plain HTTP; \"\" turns them off");
  declare_feature_gates(flags, options.gates);
  declare_verbosity(flags, options.verbosity);
  declare_election(flags, options);
  declare_requests(flags, options);
  declare_remote_ledger(flags, options.ledger);
  flags.paragraph("Runs until SIGTERM, and then releases the Lease.");
  flags.exit_codes({{0, "Stopped"},
                    {1, "Cannot use the cluster, or lost the Lease; start it again"},
                    {2, "Wrong usage"}});
  flags.examples({"windlass controller --managed-by windlass.dev/job-controller",
                  "windlass controller --kubeconfig prod.yaml --replace-builtin"});
}

Command controller_command() {
  return make_command<ControllerOptions>(
      "controller",
      "Run the Job controller for a Kubernetes cluster, alongside or instead of the built-in one",
      run_controller);
}

class ControllerSession::Impl {
 public:
  Impl(env::Env env, posix::EventLoop& loop, remote::ClusterAccess access,
       ControllerOptions options, std::string identity, Output& output,
       std::function<void(ExitCode)> on_finished)
      : env_(env),
        loop_(loop),
        options_(std::move(options)),
        identity_(std::move(identity)),
        output_(output),
        on_finished_(std::move(on_finished)),
        requests_(metrics_->counter("rest_client_requests_total",
                                    "Requests to the API server, by status code and method.",
                                    {"code", "method"})),
        leads_(metrics_->gauge("leader_election_master_status",
                               "Whether this process leads: 1 or 0.", {"name"})),
        credentials_(env.files, env.clock, std::move(access), remote::plugin_runner(loop)),
        dialer_(loop, env.clock, credentials_, !options_.disable_http2),
        lease_transport_(loop, env.clock, env.random, dialer_, lease_transport_options(requests_)),
        transport_(loop, env.clock, env.random, dialer_,
                   job_transport_options(options_, requests_)),
        lease_client_(lease_transport_, env.random),
        client_(transport_, env.random, [this] { return may_write(); }),
        fenced_(client_, loop, [this] { return may_write(); }),
        health_({[this] { return why_not_ready(); },
                 [this] { return ledger_ == nullptr ? "" : ledger_->lag(); },
                 [this] { return metrics_->text(); }}) {
    // A record tells more of a pod than the controller looks at.
    if (options_.ledger.address.empty()) {
      client_.read_only(api::kinds::pod(), controllers::job::pod_outline());
    }
  }

  void start() {
    if (const auto served = serve(); !served) {
      return fail_with(served.error().message, ExitCode::failed);
    }
    if (const auto opened = open_ledger(); !opened) {
      return fail_with(opened.error().message, ExitCode::failed);
    }
    lease_client_.get_text("/version", [this](const Result<std::string>& text) {
      if (!text) {
        return fail_with(
            fmt::format("cannot use the cluster at {}: {}", server(), text.error().message),
            ExitCode::failed);
      }
      version_ = remote::read_version(*text).value_or("an unknown version");
      look_at_features();
    });
  }

  void interrupt() {
    if (std::exchange(stopping_, true)) {
      return finish(ExitCode::ok);
    }
    drain_until_ = env_.clock.monotonic() + kDrainLimit;
    drain();
  }

 private:
  std::string server() const { return credentials_.access().server.text(); }

  bool may_write() const {
    return !stopping_ && (!options_.leader_elect || (election_ && election_->is_leader()));
  }

  std::string why_not_ready() const {
    if (!checked_) {
      return "waiting for the API server";
    }
    if (ledger_ != nullptr && !ledger_->trouble().empty()) {
      return ledger_->trouble();
    }
    if (controller_ != nullptr) {
      return controller_->has_synced() ? "" : "listing Jobs and pods";
    }
    return election_ && !election_->holder().empty() ? "" : "waiting for a leader";
  }

  Result<void> open_ledger() {
    if (!options_.ledger.address.empty()) {
      TRY(ledger_, RemoteLedger::open(env_, loop_, client_, options_.ledger, metrics_));
    }
    return {};
  }

  Result<void> serve() {
    if (options_.listen.empty()) {
      return {};
    }
    net::ServerOptions server;
    server.io_threads = 1;
    TRY(server.endpoint, net::parse_endpoint(options_.listen));
    TRY(http_, net::HttpServer::start({loop_, env_.clock, env_.log}, health_, server));
    return {};
  }

  void look_at_features() {
    lease_client_.get_text("/openapi/v3/apis/batch/v1", [this](const Result<std::string>& text) {
      const auto features =
          text ? remote::read_features(*text) : Result<remote::ServerFeatures>(fail(text.error()));
      if (features) {
        features_ = *features;
        for (const std::string& line : features->missing()) {
          output_.err(fmt::format("note: the server ({}) does not support {}\n", version_, line));
        }
      } else {
        output_.err(fmt::format("warning: cannot read the features of the server ({}): {}\n",
                                version_, features.error().message));
      }
      if (!features_.managed_by && !options_.replaces_built_in()) {
        return fail_with(
            "the server does not support spec.managedBy, which --managed-by needs. Use a newer "
            "server, or --replace-builtin",
            ExitCode::failed);
      }
      options_.replaces_built_in() ? look_for_built_in("") : elect();
    });
  }

  // It works in every namespace or in none. With access to one namespace only, looks there.
  void look_for_built_in(const std::string& ns, const std::string& continue_token = "") {
    lease_client_.list({&api::kinds::job(), ns, "", ""}, {kJobsOfAPage, continue_token},
                       [this, ns](const Result<client::ObjectList>& jobs) {
                         if (!jobs && jobs.error().code == 403 && ns != options_.ns) {
                           return look_for_built_in(options_.ns);
                         }
                         if (!jobs) {
                           return fail_with(jobs.error().message, ExitCode::failed);
                         }
                         if (const auto trace = find_built_in_trace(*jobs, env_.clock.now())) {
                           return fail_with(built_in_advice(*trace), ExitCode::failed);
                         }
                         jobs->continue_token.empty() ? elect()
                                                      : look_for_built_in(ns, jobs->continue_token);
                       });
  }

  void elect() {
    checked_ = true;
    output_.err(fmt::format("windlass {}: managing Jobs of {} on {} ({}){}\n",
                            plane::version_number(), options_.manager, server(), version_,
                            options_.ns.empty() ? "" : ", namespace " + options_.ns));
    if (!options_.leader_elect) {
      return lead();
    }
    client::LeaderElection::Options election;
    election.ns = lease_namespace_of(options_, credentials_.access());
    election.name = lease_name_of(options_);
    election.identity = identity_;
    election.lease = options_.lease;
    election.renew_deadline = options_.renew_deadline;
    election.retry = options_.retry;
    election_.emplace(
        client::ClientEnv{lease_client_, loop_, env_.clock, env_.random, env_.log}, election,
        client::LeaderElection::Callbacks{[this] { lead(); }, [this] { on_lost_lead(); }});
    leads_.set({lease_name_of(options_)}, 0);
    election_->start();
  }

  void lead() {
    leads_.set({lease_name_of(options_)}, 1);
    output_.err("Leading\n");
    controllers::job::JobController::Options job;
    job.engine = controllers::job::engine_options(options_.gates);
    job.engine.manager = options_.manager;
    job.engine.backoff_base = options_.backoff_base;
    job.engine.backoff_cap = options_.backoff_cap;
    job.engine.gates.backoff_limit_per_index &= features_.backoff_limit_per_index;
    job.engine.gates.pod_replacement_policy &= features_.pod_replacement_policy;
    job.engine.gates.success_policy &= features_.success_policy;
    job.concurrent_syncs = options_.concurrent_syncs;
    job.ns = options_.ns;
    job.metrics = metrics_;
    job.attempts = ledger_ != nullptr ? &ledger_->attempts() : nullptr;
    if (!options_.replaces_built_in()) {
      job.tracking_finalizer = kOwnTrackingFinalizer;
    }
    controller_ = std::make_unique<controllers::job::JobController>(
        client::ClientEnv{fenced_, loop_, env_.clock, env_.random, env_.log}, std::move(job));
    controller_->start();
    if (tracing::SpanExporter* spans = ledger_ != nullptr ? ledger_->spans() : nullptr) {
      job_traces_.emplace(client::ClientEnv{client_, loop_, env_.clock, env_.random, env_.log},
                          *spans, tracing::JobTraces::Options{options_.ns, options_.manager});
      job_traces_->start();
    }
  }

  void on_lost_lead() {
    leads_.set({lease_name_of(options_)}, 0);
    if (!stopping_) {
      fail_with("lost the lease: another process may lead now. Start the controller again",
                ExitCode::failed);
    }
  }

  // Waits for writes in flight, so that the next leader sees all of them.
  void drain() {
    if (transport_.pending() > 0 && env_.clock.monotonic() < drain_until_) {
      loop_.schedule(kDrainLook, [this] { drain(); });
      return;
    }
    controller_.reset();
    job_traces_.reset();
    if (!election_) {
      return end();
    }
    election_->release([this](bool freed) {
      output_.err(freed ? "Stopped and released the lease\n" : "Stopped\n");
      end();
    });
  }

  void end() {
    const auto ended = [this] { finish(ExitCode::ok); };
    ledger_ == nullptr ? ended() : ledger_->finish(ended);
  }

  void fail_with(const std::string& why, ExitCode code) {
    output_.err(fmt::format("error: {}\n", why));
    finish(code);
  }

  void finish(ExitCode code) {
    stopping_ = true;
    if (auto on_finished = std::exchange(on_finished_, nullptr)) {
      loop_.post([on_finished = std::move(on_finished), code] { on_finished(code); });
    }
  }

  env::Env env_;
  posix::EventLoop& loop_;
  const ControllerOptions options_;
  const std::string identity_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  bool stopping_ = false;
  bool checked_ = false;
  MonotonicTime drain_until_;
  std::string version_;
  remote::ServerFeatures features_;

  std::shared_ptr<MetricRegistry> metrics_ = std::make_shared<MetricRegistry>();
  MetricFamily& requests_;
  MetricFamily& leads_;
  remote::Credentials credentials_;
  remote::Dialer dialer_;
  remote::Transport lease_transport_;
  remote::Transport transport_;
  remote::RemoteClient lease_client_;
  remote::RemoteClient client_;
  client::FencedClient fenced_;
  std::optional<client::LeaderElection> election_;
  std::unique_ptr<RemoteLedger> ledger_;
  std::unique_ptr<controllers::job::JobController> controller_;
  std::optional<tracing::JobTraces> job_traces_;
  plane::HealthHandler health_;
  std::unique_ptr<net::HttpServer> http_;
};

ControllerSession::ControllerSession(env::Env env, posix::EventLoop& loop,
                                     remote::ClusterAccess access, ControllerOptions options,
                                     std::string identity, Output& output,
                                     std::function<void(ExitCode)> on_finished)
    : impl_(std::make_unique<Impl>(env, loop, std::move(access), std::move(options),
                                   std::move(identity), output, std::move(on_finished))) {}

ControllerSession::~ControllerSession() = default;

void ControllerSession::start() {
  impl_->start();
}

void ControllerSession::interrupt() {
  impl_->interrupt();
}

}  // namespace windlass::cli
