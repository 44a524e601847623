#include "cli/commands/up.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "api/codec/json/json_value.h"
#include "api/names.h"
#include "apiserver/rest/rest_handler.h"
#include "cli/commands/dashboard/page_reruns.h"
#include "cli/commands/dashboard/server_backend.h"
#include "cli/commands/node/machine_shutdown.h"
#include "cli/flags/command_line.h"
#include "cli/flags/flags.h"
#include "cli/output/text.h"
#include "cli/process.h"
#include "dashboard/page_handler.h"
#include "evidence/container_use_book.h"
#include "ledger/no_attempts.h"
#include "logind/logind_shutdown.h"
#include "net/http_server.h"
#include "node/hollow/hollow_nodes.h"
#include "plane/control_plane.h"
#include "plane/local_nodes.h"
#include "plane/logs/log_tails.h"
#include "plane/logs/pod_logs.h"
#include "plane/server_credentials.h"
#include "plane/streams/node_commands.h"
#include "plane/version.h"
#include "posix/files/data_directory.h"
#include "posix/files/scratch_directory.h"
#include "posix/files/trash_files.h"
#include "posix/process/inherited.h"
#include "posix/process/parent_watch.h"
#include "posix/worker_thread.h"
#include "store/sqlite/sqlite_journal.h"
#include "tracing/job_traces.h"

namespace windlass::cli {
namespace {

constexpr const char* kLedgerFile = "ledger.db";  // in the data directory

// Whose end is that of an ephemeral session; null for none.
Result<std::unique_ptr<posix::ParentWatch>> watch_parent(const UpOptions& options,
                                                         posix::EventLoop& loop) {
  if (!options.ephemeral) {
    return nullptr;
  }
  return options.parent_pid ? posix::ParentWatch::of_process(loop, *options.parent_pid)
                            : posix::ParentWatch::of_input(loop, STDIN_FILENO);
}

ExitCode run_in_data_dir(UpOptions options, Output& output) {
  options.images.directory = image_dir_or_default(options.images.directory);
  output.err(host_root_note(options.images));
  posix::raise_descriptor_limit();
  Process process(options.verbosity);
  const auto parent = watch_parent(options, process.loop);
  if (!parent) {
    output.err(fmt::format("error: {}\n", parent.error().message));
    return ExitCode::usage;
  }
  std::optional<posix::WorkerThread> journal_worker;
  std::optional<posix::WorkerThread> trash_worker;
  std::optional<posix::TrashFiles> files;
  std::optional<images::BackgroundPulls> pulls;
  logind::LogindShutdown shutdown(process.loop, process.log, system_bus());
  posix::ServiceManager service(process.loop, posix::ServiceAddress::from_environment());
  options.service = &service;
  return process.run_session<UpSession>(
      [&](std::optional<UpSession>& session, const OnFinished& on_finished) {
        journal_worker.emplace(process.clock, "journal");
        trash_worker.emplace(process.clock, "trash");
        files.emplace(options.data_dir + "/trash", *trash_worker, process.log);
        plane::NodeMachine machine = process.machine(options.limits, options.data_dir);
        machine.shutdown = &shutdown;
        machine.image_puller =
            &pulls.emplace(process.loop, process.clock, pull_options(options.images.directory));
        session.emplace(env::Env{process.clock, process.random, process.loop, process.log, *files},
                        process.loop, *journal_worker,
                        plane::supervised_containers(process.loop, process.clock, process.log),
                        options, std::move(machine), output, on_finished);
        if (*parent) {
          (*parent)->start([&session] { session->interrupt(); });
        }
      });
}

// The folder goes last: threads that work in it have ended by then.
ExitCode run_ephemeral(UpOptions options, Output& output) {
  auto scratch = posix::ScratchDirectory::make(temporary_dir(), "windlass-up-");
  if (!scratch) {
    output.err(fmt::format("error: {}\n", scratch.error().message));
    return ExitCode::failed;
  }
  options.data_dir = scratch->path();
  const ExitCode code = run_in_data_dir(std::move(options), output);
  if (const Result<void> removed = scratch->remove(); !removed) {
    output.err(fmt::format("warning: {}\n", removed.error().message));
  }
  return code;
}

ExitCode run_control_plane(UpOptions options, Output& output) {
  if (options.ephemeral) {
    return run_ephemeral(std::move(options), output);
  }
  options.data_dir = data_dir_or_default(options.data_dir);
  return run_in_data_dir(std::move(options), output);
}

}  // namespace

Command up_command() {
  return make_command<UpOptions>("up", "Run a control plane for kubectl and other clients",
                                 run_control_plane);
}

class UpSession::Impl {
 public:
  Impl(env::Env env, posix::EventLoop& loop, env::Executor& worker,
       plane::ContainerFactory containers, UpOptions options, plane::NodeMachine machine,
       Output& output, std::function<void(ExitCode)> on_finished)
      : env_(env),
        loop_(loop),
        worker_(worker),
        make_containers_(std::move(containers)),
        options_(std::move(options)),
        machine_(std::move(machine)),
        output_(output),
        on_finished_(std::move(on_finished)) {}

  void start() {
    const auto endpoint = net::parse_endpoint(options_.listen);
    if (!endpoint) {
      return fail_with(endpoint.error(), ExitCode::usage);
    }
    if (const auto started = bring_up(*endpoint); !started) {
      fail_with(started.error(), ExitCode::failed);
    }
  }

  void interrupt() {
    if (std::exchange(stopping_, true) || http_ == nullptr) {
      return finish(ExitCode::ok);
    }
    if (options_.ephemeral) {
      return end_with_pods();
    }
    output_.err("Stopping. Press Ctrl-C again to stop immediately.\n");
    if (const size_t pods = nodes_ ? nodes_->running_pods() : 0; pods > 0) {
      output_.err(kept_pods_text(pods, options_.data_dir));
    }
    stop_server();
  }

  void power_down() {
    stopping_ = true;
    if (http_ == nullptr) {
      return finish(ExitCode::ok);
    }
    // A second call changes nothing.
    if (!std::exchange(powering_down_, true) && nodes_) {
      stop_nodes();
    }
  }

 private:
  Result<void> bring_up(const net::Endpoint& endpoint) {
    TRY_VOID(options_.ephemeral ? make_state(endpoint) : open_state(endpoint));
    plane::ControlPlaneOptions plane;
    plane.gates = options_.gates;
    plane.periods = options_.periods;
    plane.metrics = metrics_;
    plane.host = posix::host_name();
    plane.system.ca_certificate = credentials_.authority.certificate_pem;
    TRY_VOID(open_ledger(plane));
    plane_ = std::make_unique<plane::ControlPlane>(env_, *store_, plane);
    TRY_VOID(serve(endpoint));
    plane_->start();
    if (traces_) {
      job_traces_.emplace(plane_->client_env(), traces_->spans(), tracing::JobTraces::Options());
      job_traces_->start();
    }
    // Ready once the objects that every cluster has are on disk.
    store_->when_committed(store_->head_revision(), [this](Result<void> committed) {
      committed ? start_nodes() : fail_with(committed.error(), ExitCode::failed);
    });
    return {};
  }

  Result<void> open_state(const net::Endpoint& endpoint) {
    TRY(auto directory, posix::open_data_directory(options_.data_dir));
    const plane::CredentialSource source{env_.files, env_.random, env_.clock.now(),
                                         options_.data_dir};
    TRY(credentials_, plane::open_credentials(source, server_names(endpoint)));
    store::LogOptions log_options;
    log_options.accept_lost_writes = options_.accept_lost_writes;
    TRY(auto file, store::RevisionLog::open(std::move(directory), log_options));
    journal_ =
        std::make_unique<store::SqliteJournal>(env_.executor, worker_, env_.log, std::move(file));
    store_ = std::make_unique<store::Store>(journal_.get());
    return store_->load();
  }

  Result<void> make_state(const net::Endpoint& endpoint) {
    TRY(credentials_,
        plane::make_credentials(env_.random, env_.clock.now(), server_names(endpoint)));
    store_ = std::make_unique<store::Store>();
    return {};
  }

  Result<void> open_ledger(plane::ControlPlaneOptions& plane) {
    if (!options_.ledger.enabled || options_.ephemeral) {
      return {};
    }
    ledger_worker_.emplace(env_.clock, "ledger");
    TRY(ledger_, plane::open_ledger(env_, *ledger_worker_, *metrics_, options_.data_dir,
                                    kLedgerFile, options_.ledger));
    search_worker_.emplace(env_.clock, "ledger-search");
    TRY(attempt_source_,
        plane::open_attempt_source(env_, *search_worker_, options_.data_dir, kLedgerFile));
    plane.ledger = ledger_.get();
    if (options_.traces.enabled()) {
      traces_ = TraceExport::make(env_, loop_, options_.traces, *metrics_);
      plane.ledger = &traces_->trace(*ledger_);
    }
    plane.attempts.evidence = {
        options_.ledger.log_bytes,
        plane::local_log_tails(env_.files, env_.log,
                               [this](const std::string& node) { return files_of(node); })};
    plane.attempts.find_usage = [this](const std::string& pod, const std::string& container) {
      return use_book_.find(pod, container);
    };
    return {};
  }

  void end_with_pods() {
    powering_down_ = true;
    const auto ended = [this] {
      pods_ended_ = true;
      stop_server();
    };
    nodes_ ? nodes_->kill(ended) : ended();
  }

  void stop_nodes() {
    output_.err(fmt::format("Stopping {}\n", counted(nodes_->running_pods(), "pod")));
    nodes_->stop([this] {
      pods_ended_ = true;
      stop_server();
    });
  }

  void stop_server() {
    if (std::exchange(server_stopping_, true)) {
      return finish_when_stopped();
    }
    if (options_.service != nullptr) {
      options_.service->stopping();
    }
    http_->stop([this] {
      server_stopped_ = true;
      finish_when_stopped();
    });
  }

  // A Ctrl-C leaves the pods running, but a power failure may have come after it.
  void finish_when_stopped() {
    if (server_stopped_ && (!powering_down_ || pods_ended_)) {
      const auto ended = [this] { finish(ExitCode::ok); };
      traces_ ? traces_->finish(ended) : ended();
    }
  }

  void start_nodes() {
    if (stopping_ && options_.ephemeral) {
      return;  // no earlier session has left pods
    }
    nodes_ = std::make_unique<plane::LocalNodes>(
        env_, make_containers_, plane_->client(),
        plane::LocalNodes::Options{plane::numbered_nodes(options_.nodes),
                                   plane::up_nodes_folder(options_.data_dir),
                                   true,
                                   {.capacity = machine_.capacity,
                                    .environment = machine_.environment,
                                    .disruption_conditions = disruption_conditions(),
                                    .shutdown = options_.shutdown,
                                    .images = options_.images,
                                    .image_puller = machine_.image_puller,
                                    .pressure = options_.limits.pressure,
                                    .protection = options_.limits.protection,
                                    .system = machine_.system,
                                    .private_directories = machine_.private_directories,
                                    .on_container_use = on_container_use()},
                                   machine_.network,
                                   machine_.host_resources,
                                   options_.ephemeral ? plane::ContainerLife::with_owner
                                                      : plane::ContainerLife::outlive_owner});
    nodes_->start([this] { start_hollow_nodes(); },
                  [this](const std::vector<std::string>& missing) {
                    for (const std::string& what : missing) {
                      output_.err(fmt::format("note: {}\n", what));
                    }
                  });
    if (powering_down_) {
      stop_nodes();  // only they know what runs
    }
  }

  node::OnContainerUse on_container_use() {
    return [this](const std::string& pod, const std::string& container,
                  const env::ContainerExit& exit) { use_book_.add(pod, container, exit); };
  }

  bool disruption_conditions() const {
    return options_.gates.enabled(api::Feature::pod_disruption_conditions);
  }

  void listen_for_shutdown() {
    if (machine_.shutdown == nullptr || options_.nodes == 0) {
      return;
    }
    follow_machine(*machine_.shutdown, *nodes_, options_.shutdown, output_,
                   [this] { return stopping_; });
  }

  void start_hollow_nodes() {
    if (stopping_) {
      return;
    }
    listen_for_shutdown();
    if (options_.hollow_nodes == 0) {
      return say_ready();
    }
    node::hollow::HollowOptions hollow;
    for (size_t i = 0; i < options_.hollow_nodes; ++i) {
      hollow.nodes.push_back(node::hollow::hollow_config(i));
    }
    hollow.mix = options_.hollow_mix;
    hollow.disruption_conditions = disruption_conditions();
    hollow_ = std::make_unique<node::hollow::HollowNodes>(plane_->client_env(), std::move(hollow));
    hollow_->start([this] { say_ready(); });
  }

  Result<void> serve(const net::Endpoint& endpoint) {
    apiserver::RestOptions rest;
    logs_ = std::make_unique<plane::PodLogs>(
        env_, plane_->server(), [this](const std::string& node) { return files_of(node); });
    rest.hooks.read_log = [this](const apiserver::LogRequest& request,
                                 const std::shared_ptr<http::Exchange>& exchange) {
      logs_->read(request, exchange);
    };
    rest.hooks.open_command =
        plane::node_commands(loop_, [this](const std::string& node) { return files_of(node); });
    rest.hooks.more_metrics = [metrics = metrics_] { return metrics->text(); };
    rest.hooks.attempts = attempt_source_.get();
    rest.hooks.ledger_trouble = [this] {
      const evidence::AttemptRecorder* attempts = plane_->attempts();
      return attempts != nullptr ? attempts->trouble() : std::string();
    };
    rest.hooks.settings = plane::periods_json(options_.periods);
    rest.address = endpoint.text();
    rest.version = plane::version_number().substr(1);  // without its v
    handler_ = std::make_unique<apiserver::RestHandler>(
        plane_->server(), env_.executor, env_.clock, env_.random,
        apiserver::Authenticator(credentials_.tokens), std::move(rest));
    make_page(endpoint);
    net::ServerOptions options;
    options.io_threads = net::fitting_io_threads();
    options.endpoint = endpoint;
    TRY(options.tls,
        net::TlsContext::make({credentials_.server.certificate_pem, credentials_.server.key_pem,
                               credentials_.authority.certificate_pem}));
    auto started = net::HttpServer::start({loop_, env_.clock, env_.log}, *page_, options);
    if (!started) {
      return fail(plain_error(
          fmt::format("{}\nChoose another address with --listen; 127.0.0.1:0 picks a free port",
                      started.error().message)));
    }
    http_ = *std::move(started);
    renewal_ = std::make_unique<plane::CertificateRenewal>(
        env_, options_.data_dir, server_names(endpoint), credentials_,
        [this](const net::TlsFiles& files) { return use_certificate(files); });
    // A server can listen on 0.0.0.0, but a client cannot connect to it.
    net::Endpoint reachable = http_->endpoint();
    if (reachable.is_any()) {
      reachable.address = "127.0.0.1";
    }
    url_ = "https://" + reachable.text();
    return plane::write_kubeconfigs(
        env_.files, options_.data_dir, url_, credentials_,
        options_.ephemeral ? plane::KubeconfigLife::for_a_while : plane::KubeconfigLife::lasting);
  }

  // The page stands before the API, and passes on all but its own paths.
  void make_page(const net::Endpoint& endpoint) {
    ledger::AttemptSource& attempts =
        attempt_source_ ? static_cast<ledger::AttemptSource&>(*attempt_source_) : no_attempts_;
    reruns_ = std::make_unique<PageReruns>(
        env_.executor, plane_->client(), attempts,
        [this](const std::string& /*path*/, const client::Done<std::string>& done) {
          env_.executor.post(
              [done, settings = plane::periods_json(options_.periods)] { done(settings); });
        });
    page_backend_ = std::make_unique<ServerBackend>(
        env_.executor, apiserver::Authenticator(credentials_.tokens), *handler_,
        [this](const dashboard::RerunOrder& order, client::Done<std::string> done) {
          reruns_->run(order, std::move(done));
        });
    page_worker_.emplace(env_.clock, "page");
    page_ = std::make_unique<dashboard::PageHandler>(
        plane_->client_env(), *page_worker_, attempts, *page_backend_,
        dashboard::PageOptions{.api = handler_.get(),
                               .guard = {.host_names = server_names(endpoint), .tls = true},
                               .login = "windlass dashboard"});
  }

  // The folder of a node of this process, or of a `windlass node` that shares the data directory.
  std::optional<std::string> files_of(const std::string& node) const {
    if (const auto own = nodes_ ? nodes_->directory_of(node) : std::nullopt) {
      return own;
    }
    // A binding may name anything.
    const std::string joined = plane::joined_nodes_folder(options_.data_dir) + "/" + node;
    return api::is_dns1123_subdomain(node) && env_.files.type(joined) ? std::optional(joined)
                                                                      : std::nullopt;
  }

  // The names by which clients reach this server.
  std::vector<std::string> server_names(const net::Endpoint& endpoint) const {
    std::vector<std::string> names = options_.server_names;
    names.push_back(endpoint.address);
    return names;
  }

  Result<void> use_certificate(const net::TlsFiles& files) {
    TRY(const auto tls, net::TlsContext::make(files));
    http_->use(tls);
    return {};
  }

  void say_ready() {
    if (options_.service != nullptr) {
      options_.service->ready("Serving at " + url_);
    }
    if (!http_->endpoint().is_loopback()) {
      output_.err(
          fmt::format("warning: {} is reachable from other machines\n", http_->endpoint().text()));
      if (http_->endpoint().is_any() && options_.server_names.empty()) {
        output_.err(
            "warning: clients on other machines reject the server's certificate. Add the name or "
            "address that they use with: --server-name NAME\n");
      }
    }
    if (credentials_.authority_replaced) {
      output_.err(
          "warning: ca.crt was expired or damaged and has been replaced. Copies of earlier "
          "kubeconfigs no longer work; make new ones with: windlass kubeconfig\n");
    }
    if (options_.ephemeral) {
      return output_.out(ready_line() + "\n");
    }
    output_.err(fmt::format("windlass {} is ready at {}, with its data in {}\n",
                            plane::version_number(), url_, options_.data_dir));
    output_.err("To use it with kubectl:\n");
    output_.out(
        fmt::format("export KUBECONFIG={}\n", shell_word(options_.data_dir + "/kubeconfig")));
  }

  // For programs; docs/guide/testing.md describes it.
  std::string ready_line() const {
    api::JsonValue line = api::JsonValue::object();
    line.members["apiVersion"] = api::JsonValue::string("windlass.dev/v1");
    line.members["kind"] = api::JsonValue::string("Ready");
    line.members["kubeconfig"] = api::JsonValue::string(options_.data_dir + "/kubeconfig");
    line.members["pid"] = {api::JsonValue::Type::number, fmt::format("{}", ::getpid())};
    line.members["server"] = api::JsonValue::string(url_);
    line.members["version"] = api::JsonValue::string(plane::version_number());
    return api::to_json_text(line);
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
  env::Executor& worker_;
  plane::ContainerFactory make_containers_;
  UpOptions options_;
  plane::NodeMachine machine_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  bool stopping_ = false;
  bool powering_down_ = false;  // its pods end with it
  bool pods_ended_ = false;
  bool server_stopping_ = false;
  bool server_stopped_ = false;
  std::string url_;
  plane::ServerCredentials credentials_;

  std::unique_ptr<store::SqliteJournal> journal_;
  std::unique_ptr<store::Store> store_;
  std::shared_ptr<MetricRegistry> metrics_ = std::make_shared<MetricRegistry>();
  std::optional<posix::WorkerThread> ledger_worker_;
  std::unique_ptr<ledger::SqliteLedger> ledger_;
  std::optional<posix::WorkerThread> search_worker_;
  std::unique_ptr<ledger::SqliteAttemptSource> attempt_source_;
  std::unique_ptr<TraceExport> traces_;
  evidence::ContainerUseBook use_book_;
  std::unique_ptr<plane::ControlPlane> plane_;
  std::optional<tracing::JobTraces> job_traces_;
  std::unique_ptr<plane::LocalNodes> nodes_;
  std::unique_ptr<node::hollow::HollowNodes> hollow_;
  std::unique_ptr<plane::PodLogs> logs_;
  std::unique_ptr<apiserver::RestHandler> handler_;
  ledger::NoAttemptSource no_attempts_{env_.executor};
  std::unique_ptr<PageReruns> reruns_;
  std::unique_ptr<ServerBackend> page_backend_;
  std::optional<posix::WorkerThread> page_worker_;
  std::unique_ptr<dashboard::PageHandler> page_;
  std::unique_ptr<net::HttpServer> http_;
  std::unique_ptr<plane::CertificateRenewal> renewal_;
};

UpSession::UpSession(env::Env env, posix::EventLoop& loop, env::Executor& journal_worker,
                     plane::ContainerFactory containers, UpOptions options,
                     plane::NodeMachine machine, Output& output,
                     std::function<void(ExitCode)> on_finished)
    : impl_(std::make_unique<Impl>(env, loop, journal_worker, std::move(containers),
                                   std::move(options), std::move(machine), output,
                                   std::move(on_finished))) {}

UpSession::~UpSession() = default;

void UpSession::start() {
  impl_->start();
}

void UpSession::interrupt() {
  impl_->interrupt();
}

void UpSession::power_down() {
  impl_->power_down();
}

}  // namespace windlass::cli
