#include "cli/commands/node/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "api/names.h"
#include "api/uuid.h"
#include "cli/commands/node/machine_shutdown.h"
#include "cli/commands/node/node_shutdown.h"
#include "cli/flags/flags.h"
#include "cli/flags/manifest_flags.h"
#include "cli/flags/node_flags.h"
#include "cli/output/text.h"
#include "cli/process.h"
#include "logind/logind_shutdown.h"
#include "plane/local_nodes.h"
#include "plane/node_name_check.h"
#include "plane/version.h"
#include "posix/files/data_directory.h"
#include "posix/files/trash_files.h"
#include "posix/process/inherited.h"
#include "posix/worker_thread.h"
#include "remote/remote_client.h"

namespace windlass::cli {
namespace {

constexpr const char* kLabelsFlag = "--node-labels";
constexpr Duration kReportCheck = milliseconds(200);
constexpr Duration kCheckAgain = seconds(2);
constexpr size_t kMaxIdentityBytes = 100;
constexpr unsigned kIdentityMode = 0600;

remote::Transport::Options transport_options() {
  remote::Transport::Options options;
  options.user_agent = "windlass-node/" + plane::version_number();
  return options;
}

// Only the node itself sets the labels of Kubernetes.
bool is_reserved_label(std::string_view key) {
  const std::string_view prefix = key.substr(0, std::min(key.find('/'), key.size()));
  return key.find('/') != std::string_view::npos &&
         (prefix == "kubernetes.io" || prefix.ends_with(".kubernetes.io") || prefix == "k8s.io" ||
          prefix.ends_with(".k8s.io"));
}

Result<void> parse_labels(std::string_view text, std::map<std::string, std::string>& labels) {
  for (const std::string_view entry : comma_separated(text)) {
    const size_t equals = std::min(entry.find('='), entry.size());
    const std::string_view key = entry.substr(0, equals);
    const std::string_view value = entry.substr(std::min(equals + 1, entry.size()));
    if (equals == entry.size() || !api::is_qualified_name(key) ||
        !api::check_label_value(value).empty() || is_reserved_label(key)) {
      return fail(plain_error(
          fmt::format("invalid {} \"{}\": must be KEY=VALUE,... such as disk=ssd, and not a label "
                      "of kubernetes.io or k8s.io",
                      kLabelsFlag, entry)));
    }
    labels[std::string(key)] = value;
  }
  return {};
}

Result<void> check_node_options(const NodeOptions& options) {
  if (options.name.empty()) {
    return fail(plain_error("must specify --name NAME"));
  }
  if (!api::is_dns1123_subdomain(options.name)) {
    return fail(plain_error(
        fmt::format("invalid --name \"{}\": must be a DNS name in lower case", options.name)));
  }
  if (!is_ip_address(options.address)) {
    return fail(plain_error(
        fmt::format("invalid --node-ip \"{}\": must be an IP address", options.address)));
  }
  return {};
}

// Takes node/NAME, too.
Result<void> check_shutdown_options(NodeShutdownOptions& options, const NodeOptions& node) {
  if (!node.name.empty()) {
    return fail(plain_error(
        "--name is a flag of `windlass node` alone: use `windlass node shutdown NAME`"));
  }
  for (const std::string_view prefix : {"node/", "nodes/"}) {
    if (options.node.starts_with(prefix)) {
      options.node.erase(0, prefix.size());
    }
  }
  if (options.node.empty()) {
    return fail(plain_error("must specify a node: windlass node shutdown NAME"));
  }
  return {};
}

void declare_node_flags(Flags& flags, NodeOptions& options) {
  flags.text("--name NAME", options.name, "Name of the node; must be unique in the cluster");
  declare_cluster_flags(flags, options.cluster, LocalCluster::yes);
  declare_data_dir(flags, options.data_dir,
                   "Folder of its files, in agents/NAME. Use that of `windlass up` for `kubectl "
                   "logs`");
  flags.text("--node-ip ADDRESS", options.address, "IP address of the node and its pods");
  flags.parsed("--node-labels LIST", "Additional labels of the node. Example: disk=ssd,zone=b",
               [&options](const std::string& text) { return parse_labels(text, options.labels); });
  declare_image_flags(flags, options.images);
  declare_feature_gates(flags, options.gates);
  declare_verbosity(flags, options.verbosity);
  flags.check([&options] { return check_node_options(options); });
  declare_shutdown_flags(flags, options.shutdown);
  declare_limit_flags(flags, options.limits);
  flags.paragraph(
      "Runs until Ctrl-C or SIGTERM. Its pods keep running, and the next `windlass node` of that "
      "name takes them over; `windlass down` and SIGPWR stop them, too. While the server is not "
      "reachable, it retries. To use more machines, see `windlass controller`.");
  flags.exit_codes({{0, "Stopped"}, {1, "Cannot start"}, {2, "Wrong usage"}});
  flags.examples({"windlass kubeconfig --role node --user b > b.kubeconfig",
                  "windlass node --name b --kubeconfig b.kubeconfig --node-labels disk=ssd"});
}

void declare_shutdown_command(Flags& flags, NodeShutdownOptions& options, NodeOptions& node) {
  flags.argument("NODE", options.node, "Node to shut down: NAME or node/NAME");
  flags.toggle("--cancel", options.cancel,
               "Cancel the shutdown: the node accepts pods again. Ended pods stay ended");
  declare_cluster_flags(flags, node.cluster, LocalCluster::yes);
  flags.check([&options, &node] {
    options.cluster = node.cluster;
    return check_shutdown_options(options, node);
  });
  flags.paragraph(
      "The node becomes NotReady, takes no pods and stops those it has, within the grace periods "
      "of "
      "its --shutdown-grace-period. It stays down until --cancel, also after a restart of "
      "`windlass "
      "up` or `windlass node`.");
  flags.exit_codes({{0, "The node is notified"}, {1, "No such node"}, {2, "Wrong usage"}});
  flags.examples({"windlass node shutdown node-1", "windlass node shutdown node-1 --cancel"});
}

ExitCode run_node(NodeOptions options, Output& output) {
  options.data_dir = data_dir_or_default(options.data_dir);
  options.images.directory = image_dir_or_default(options.images.directory);
  output.err(host_root_note(options.images));
  posix::raise_descriptor_limit();
  Process process(options.verbosity);
  const auto access = open_cluster(options.cluster, LocalCluster::yes, process.files, output);
  if (!access) {
    return ExitCode::usage;
  }
  logind::LogindShutdown shutdown(process.loop, process.log, system_bus());
  std::optional<posix::WorkerThread> trash_worker;
  std::optional<posix::TrashFiles> files;
  std::optional<images::BackgroundPulls> pulls;
  return process.run_session<NodeSession>([&](std::optional<NodeSession>& session,
                                              const OnFinished& on_finished) {
    const std::string directory = plane::joined_nodes_folder(options.data_dir) + "/" + options.name;
    trash_worker.emplace(process.clock, "trash");
    files.emplace(directory + "/trash", *trash_worker, process.log);
    plane::NodeMachine machine = process.machine(options.limits, options.data_dir);
    machine.shutdown = &shutdown;
    machine.image_puller =
        &pulls.emplace(process.loop, process.clock, pull_options(options.images.directory));
    session.emplace(env::Env{process.clock, process.random, process.loop, process.log, *files},
                    process.loop,
                    plane::supervised_containers(process.loop, process.clock, process.log), *access,
                    options, std::move(machine), output, on_finished);
  });
}

ExitCode shut_down_node(const NodeShutdownOptions& options, Output& output) {
  posix::PosixFiles files;
  const auto access = open_cluster(options.cluster, LocalCluster::yes, files, output);
  if (!access) {
    return ExitCode::usage;
  }
  ClusterClient cluster(*access);
  return cluster.run([&](const OnFinished& on_finished) {
    order_node_shutdown(cluster.client, options, cluster.clock.now(), output, on_finished);
  });
}

}  // namespace

Command node_command(std::function<ExitCode(const NodeOptions&, Output&)> run,
                     std::function<ExitCode(const NodeShutdownOptions&, Output&)> shut_down) {
  const auto node = std::make_shared<NodeOptions>();
  const auto shutdown = std::make_shared<NodeShutdownOptions>();
  Command command{"node", "Run another node of `windlass up` as a process of its own",
                  [node, run = std::move(run)](Flags& flags) -> Execute {
                    declare_node_flags(flags, *node);
                    return [node, run](Output& output) { return run(*node, output); };
                  }};
  command.subcommands.push_back(
      {"shutdown", "Shut down a node as if its machine was turned off",
       [node, shutdown, shut_down = std::move(shut_down)](Flags& flags) -> Execute {
         declare_shutdown_command(flags, *shutdown, *node);
         return [shutdown, shut_down](Output& output) { return shut_down(*shutdown, output); };
       }});
  return command;
}

Command node_command() {
  return node_command(run_node, shut_down_node);
}

class NodeSession::Impl {
 public:
  Impl(env::Env env, posix::EventLoop& loop, plane::ContainerFactory containers,
       remote::ClusterAccess access, NodeOptions options, plane::NodeMachine machine,
       Output& output, std::function<void(ExitCode)> on_finished)
      : env_(env),
        make_containers_(std::move(containers)),
        options_(std::move(options)),
        machine_(std::move(machine)),
        output_(output),
        on_finished_(std::move(on_finished)),
        credentials_(env.files, env.clock, std::move(access), remote::plugin_runner(loop)),
        dialer_(loop, env.clock, credentials_),
        transport_(loop, env.clock, env.random, dialer_, transport_options()),
        client_(transport_, env.random) {}

  ~Impl() {
    env_.executor.cancel(report_check_);
    env_.executor.cancel(retry_);
  }

  void start() {
    // `windlass up` may hold it, and `windlass down` takes no other.
    if (const auto made = posix::make_data_directory(options_.data_dir); !made) {
      return fail_with(made.error());
    }
    const std::string folder = plane::joined_nodes_folder(options_.data_dir);
    auto held = posix::open_data_directory(folder + "/" + options_.name);
    if (!held) {
      return fail_with(held.error());
    }
    directory_ = *std::move(held);
    const auto identity = own_identity();
    if (!identity) {
      return fail_with(identity.error());
    }
    nodes_ = std::make_unique<plane::LocalNodes>(
        env_, make_containers_, client_,
        plane::LocalNodes::Options{{options_.name},
                                   folder,
                                   false,
                                   {.capacity = machine_.capacity,
                                    .environment = machine_.environment,
                                    .disruption_conditions = options_.gates.enabled(
                                        api::Feature::pod_disruption_conditions),
                                    .shutdown = options_.shutdown,
                                    .images = options_.images,
                                    .image_puller = machine_.image_puller,
                                    .pressure = options_.limits.pressure,
                                    .protection = options_.limits.protection,
                                    .address = options_.address,
                                    .labels = options_.labels,
                                    .annotations = {{plane::kAgentAnnotation, *identity}},
                                    .system = machine_.system,
                                    .private_directories = machine_.private_directories},
                                   machine_.network,
                                   machine_.host_resources});
    check_name(*identity);
  }

  void interrupt() {
    if (nodes_ && nodes_->running_pods() > 0) {
      output_.err(kept_pods_text(nodes_->running_pods(), options_.data_dir));
    }
    finish(ExitCode::ok);
  }

  void power_down() {
    // A second call changes nothing.
    if (std::exchange(stopping_, true) || !nodes_) {
      return;
    }
    output_.err(fmt::format("Stopping {}\n", counted(nodes_->running_pods(), "pod")));
    nodes_->stop([this] { finish(ExitCode::ok); });
    wait_for_reports();
  }

 private:
  // Identifies this agent: the same whenever it is started with this folder.
  Result<std::string> own_identity() {
    const std::string path = directory_->path() + "/identity";
    if (auto kept = env_.files.read(path, kMaxIdentityBytes); kept && !kept->empty()) {
      return kept;
    }
    std::array<std::byte, 16> bytes;
    env_.random.fill(bytes);
    std::string made = api::uuid_from_random(bytes);
    TRY_VOID(env_.files.write(path, made, kIdentityMode));
    return made;
  }

  void check_name(const std::string& identity) {
    plane::check_node_name(
        client_, env_.clock, options_.name, identity, [this, identity](const Result<void>& free) {
          if (stopping_) {
            return;
          }
          if (free) {
            return start_node();
          }
          // Waiting does not help against these.
          if (is_conflict(free.error()) || free.error().code == 401 || free.error().code == 403) {
            return fail_with(free.error());
          }
          env_.log.warning("cannot check the name of the node with the server; trying again",
                           {{"node", options_.name}, {"error", free.error().message}});
          retry_ = env_.executor.schedule(kCheckAgain, [this, identity] { check_name(identity); });
        });
  }

  void start_node() {
    nodes_->start([this] { say_ready(); },
                  [this](const std::vector<std::string>& missing) {
                    for (const std::string& what : missing) {
                      output_.err(fmt::format("note: {}\n", what));
                    }
                  });
    if (machine_.shutdown != nullptr) {
      follow_machine(*machine_.shutdown, *nodes_, options_.shutdown, output_,
                     [this] { return stopping_; });
    }
  }

  void say_ready() {
    output_.err(fmt::format("windlass {}: node {} is ready at {}, with its files in {}\n",
                            plane::version_number(), options_.name,
                            credentials_.access().server.text(), directory_->path()));
  }

  // The server may be gone for good, and this machine goes down in any case. The journal of the
  // supervisor has the results of the pods, and the next start reports them.
  void wait_for_reports() {
    const MonotonicTime now = env_.clock.monotonic();
    if (nodes_->running_pods() > 0) {
      all_ended_.reset();
    } else if (!all_ended_) {
      all_ended_ = now;
    } else if (now - *all_ended_ >= options_.report_timeout) {
      output_.err("The server does not answer. The next start reports the results of the pods.\n");
      nodes_->end_supervisors([this] { finish(ExitCode::ok); });
      return;
    }
    report_check_ = env_.executor.schedule(kReportCheck, [this] { wait_for_reports(); });
  }

  void fail_with(const Status& status) {
    output_.err(fmt::format("error: {}\n", status.message));
    finish(ExitCode::failed);
  }

  void finish(ExitCode code) {
    stopping_ = true;
    if (auto on_finished = std::exchange(on_finished_, nullptr)) {
      env_.executor.post([on_finished = std::move(on_finished), code] { on_finished(code); });
    }
  }

  env::Env env_;
  plane::ContainerFactory make_containers_;
  const NodeOptions options_;
  const plane::NodeMachine machine_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  bool stopping_ = false;
  std::optional<MonotonicTime> all_ended_;  // the pods, as far as they are known
  env::TimerId report_check_ = env::TimerId::none;
  env::TimerId retry_ = env::TimerId::none;

  std::unique_ptr<env::DataDirectory> directory_;
  remote::Credentials credentials_;
  remote::Dialer dialer_;
  remote::Transport transport_;
  remote::RemoteClient client_;
  std::unique_ptr<plane::LocalNodes> nodes_;
};

NodeSession::NodeSession(env::Env env, posix::EventLoop& loop, plane::ContainerFactory containers,
                         remote::ClusterAccess access, NodeOptions options,
                         plane::NodeMachine machine, Output& output,
                         std::function<void(ExitCode)> on_finished)
    : impl_(std::make_unique<Impl>(env, loop, std::move(containers), std::move(access),
                                   std::move(options), std::move(machine), output,
                                   std::move(on_finished))) {}

NodeSession::~NodeSession() = default;

void NodeSession::start() {
  impl_->start();
}

void NodeSession::interrupt() {
  impl_->interrupt();
}

void NodeSession::power_down() {
  impl_->power_down();
}

}  // namespace windlass::cli
