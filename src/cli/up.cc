#include "cli/up.h"

#include <fmt/format.h>

#include <utility>

#include "api/names.h"
#include "apiserver/rest/rest_handler.h"
#include "cli/certificate_renewal.h"
#include "cli/control_plane.h"
#include "cli/local_nodes.h"
#include "cli/machine_watch.h"
#include "cli/pod_logs.h"
#include "cli/up_credentials.h"
#include "cli/version.h"
#include "cli/words.h"
#include "net/server.h"
#include "node/hollow/hollow_nodes.h"
#include "posix/data_directory.h"
#include "posix/inherited.h"
#include "store/sqlite/sqlite_journal.h"

namespace windlass::cli {
std::string default_data_dir(const std::string& xdg_state_home, const std::string& home) {
  // Only absolute ones count, says the XDG specification.
  return (xdg_state_home.starts_with('/') ? xdg_state_home : home + "/.local/state") + "/windlass";
}

class UpSession::Impl {
 public:
  Impl(env::Env env, posix::EventLoop& loop, env::Executor& worker, ContainerFactory containers,
       UpOptions options, NodeMachine machine, Output& output,
       std::function<void(ExitCode)> on_finished)
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
    output_.err("Stopping; press Ctrl-C again not to wait.\n");
    if (const size_t pods = nodes_ ? nodes_->running_pods() : 0; pods > 0) {
      output_.err(fmt::format("{} on; `windlass down --data-dir {}` ends them\n", goes_text(pods),
                              shell_word(options_.data_dir)));
    }
    stop_server();
  }

  void power_down() {
    stopping_ = true;
    if (http_ == nullptr) {
      return finish(ExitCode::ok);
    }
    // Asked again, it goes on as it does.
    if (!std::exchange(powering_down_, true) && nodes_) {
      stop_nodes();
    }
  }

 private:
  Result<void> bring_up(const net::Endpoint& endpoint) {
    TRY(auto directory, posix::open_data_directory(options_.data_dir));
    const CredentialSource source{env_.files, env_.random, env_.clock.now(), options_.data_dir};
    TRY(credentials_, open_credentials(source, server_names(endpoint)));

    store::LogOptions log_options;
    log_options.accept_lost_writes = options_.accept_lost_writes;
    TRY(auto file, store::RevisionLog::open(std::move(directory), log_options));
    journal_ =
        std::make_unique<store::SqliteJournal>(env_.executor, worker_, env_.log, std::move(file));
    store_ = std::make_unique<store::Store>(journal_.get());
    TRY_VOID(store_->load());
    ControlPlaneOptions plane;
    plane.gates = options_.gates;
    plane.periods = options_.periods;
    plane.metrics = metrics_;
    plane.host = posix::host_name();
    plane.system.ca_certificate = credentials_.authority.certificate_pem;
    plane_ = std::make_unique<ControlPlane>(env_, *store_, plane);
    TRY_VOID(serve(endpoint));
    plane_->start();
    // Ready once what every cluster has is on the disk.
    store_->when_committed(store_->head_revision(), [this](Result<void> committed) {
      committed ? start_nodes() : fail_with(committed.error(), ExitCode::failed);
    });
    return {};
  }

  void stop_nodes() {
    output_.err(fmt::format("Stopping {}\n", pods_text(nodes_->running_pods())));
    nodes_->stop([this] {
      pods_ended_ = true;
      stop_server();
    });
  }

  void stop_server() {
    if (std::exchange(server_stopping_, true)) {
      return finish_when_stopped();
    }
    http_->stop([this] {
      server_stopped_ = true;
      finish_when_stopped();
    });
  }

  // A Ctrl-C leaves the pods alone, but a power failure may have come after it.
  void finish_when_stopped() {
    if (server_stopped_ && (!powering_down_ || pods_ended_)) {
      finish(ExitCode::ok);
    }
  }

  void start_nodes() {
    nodes_ = std::make_unique<LocalNodes>(
        env_, make_containers_, plane_->client(),
        LocalNodes::Options{numbered_nodes(options_.nodes),
                            up_nodes_folder(options_.data_dir),
                            true,
                            {.capacity = machine_.capacity,
                             .environment = machine_.environment,
                             .disruption_conditions = disruption_conditions(),
                             .shutdown = options_.shutdown,
                             .images = options_.images,
                             .pressure = options_.limits.pressure,
                             .system = machine_.system},
                            machine_.network,
                            machine_.supplies});
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
    logs_ = std::make_unique<PodLogs>(env_, plane_->server(),
                                      [this](const std::string& node) { return files_of(node); });
    rest.hooks.read_log = [this](const apiserver::LogRequest& request,
                                 const std::shared_ptr<http::Exchange>& exchange) {
      logs_->read(request, exchange);
    };
    rest.hooks.more_metrics = [metrics = metrics_] { return metrics->text(); };
    rest.hooks.settings = periods_json(options_.periods);
    rest.address = endpoint.text();
    rest.version = version_number().substr(1);  // without its v
    handler_ = std::make_unique<apiserver::RestHandler>(
        plane_->server(), env_.executor, env_.clock, env_.random,
        apiserver::Authenticator(credentials_.tokens), std::move(rest));
    net::ServerOptions options;
    options.io_threads = net::fitting_io_threads();
    options.endpoint = endpoint;
    TRY(options.tls,
        net::TlsContext::make({credentials_.server.certificate_pem, credentials_.server.key_pem,
                               credentials_.authority.certificate_pem}));
    auto started = net::Server::start({loop_, env_.clock, env_.log}, *handler_, options);
    if (!started) {
      return fail(plain_error(fmt::format(
          "{}\nAnother address can be chosen with --listen; 127.0.0.1:0 takes any free port.",
          started.error().message)));
    }
    http_ = *std::move(started);
    renewal_ = std::make_unique<CertificateRenewal>(
        env_, options_.data_dir, server_names(endpoint), credentials_,
        [this](const net::TlsFiles& files) { return use_certificate(files); });
    // Everybody may listen on 0.0.0.0; nobody can connect to it.
    net::Endpoint reachable = http_->endpoint();
    if (reachable.is_any()) {
      reachable.address = "127.0.0.1";
    }
    url_ = "https://" + reachable.text();
    return write_kubeconfigs(env_.files, options_.data_dir, url_, credentials_);
  }

  // Where a node has its files: one of this process, or of a `windlass node` that shares the data
  // directory.
  std::optional<std::string> files_of(const std::string& node) const {
    if (const auto own = nodes_ ? nodes_->directory_of(node) : std::nullopt) {
      return own;
    }
    // A binding may name anything.
    const std::string joined = joined_nodes_folder(options_.data_dir) + "/" + node;
    return api::is_dns1123_subdomain(node) && env_.files.type(joined) ? std::optional(joined)
                                                                      : std::nullopt;
  }

  // What others reach this server by.
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
    if (!http_->endpoint().is_loopback()) {
      output_.err(fmt::format("warning: {} can be reached from other machines\n",
                              http_->endpoint().text()));
      if (http_->endpoint().is_any() && options_.server_names.empty()) {
        output_.err(
            "warning: no client on another machine takes the certificate: --server-name NAME puts "
            "the name or address into it that they reach this one by\n");
      }
    }
    if (credentials_.authority_replaced) {
      output_.err(
          "warning: ca.crt was expired or damaged and is a new one; copies of kubeconfigs that "
          "were "
          "made before are good for nothing\n");
    }
    output_.err(fmt::format("windlass {} is ready at {}, its data is in {}\n", version_number(),
                            url_, options_.data_dir));
    output_.err("To use it with kubectl:\n");
    output_.out(
        fmt::format("export KUBECONFIG={}\n", shell_word(options_.data_dir + "/kubeconfig")));
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
  ContainerFactory make_containers_;
  UpOptions options_;
  NodeMachine machine_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  bool stopping_ = false;
  bool powering_down_ = false;  // and its pods end with it
  bool pods_ended_ = false;
  bool server_stopping_ = false;
  bool server_stopped_ = false;
  std::string url_;
  Credentials credentials_;

  std::unique_ptr<store::SqliteJournal> journal_;
  std::unique_ptr<store::Store> store_;
  std::shared_ptr<MetricRegistry> metrics_ = std::make_shared<MetricRegistry>();
  std::unique_ptr<ControlPlane> plane_;
  std::unique_ptr<LocalNodes> nodes_;
  std::unique_ptr<node::hollow::HollowNodes> hollow_;
  std::unique_ptr<PodLogs> logs_;
  std::unique_ptr<apiserver::RestHandler> handler_;
  std::unique_ptr<net::Server> http_;
  std::unique_ptr<CertificateRenewal> renewal_;
};

UpSession::UpSession(env::Env env, posix::EventLoop& loop, env::Executor& journal_worker,
                     ContainerFactory containers, UpOptions options, NodeMachine machine,
                     Output& output, std::function<void(ExitCode)> on_finished)
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
