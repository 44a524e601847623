#include "cli/program.h"

#include <signal.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "base/uuid.h"
#include "cli/annotate.h"
#include "cli/background_output.h"
#include "cli/cluster_access.h"
#include "cli/command_line.h"
#include "cli/container_factory.h"
#include "cli/controller_session.h"
#include "cli/doctor.h"
#include "cli/down.h"
#include "cli/explain_session.h"
#include "cli/image_command.h"
#include "cli/kubeconfig_command.h"
#include "cli/local_nodes.h"
#include "cli/machine.h"
#include "cli/node_command.h"
#include "cli/node_session.h"
#include "cli/policy_lint_command.h"
#include "cli/policy_test_command.h"
#include "cli/run.h"
#include "cli/run_preflight.h"
#include "cli/simulate.h"
#include "cli/up.h"
#include "cli/validate.h"
#include "cli/version.h"
#include "logind/logind_shutdown.h"
#include "net/endpoint_checks.h"
#include "posix/event_loop.h"
#include "posix/inherited.h"
#include "posix/posix_clock.h"
#include "posix/posix_files.h"
#include "posix/posix_log.h"
#include "posix/posix_random.h"
#include "posix/posix_supplies.h"
#include "posix/scratch_directory.h"
#include "posix/signals.h"
#include "posix/trash_files.h"
#include "posix/worker_thread.h"
#include "remote/remote_client.h"
#include "supervisor/serve.h"

namespace windlass::cli {
namespace {

env::LogLevel log_level(int verbosity) {
  if (verbosity <= 0) {
    return env::LogLevel::warning;
  }
  return verbosity == 1 ? env::LogLevel::info : env::LogLevel::debug;
}

// What every command that stays for a while is made of.
struct Process {
  explicit Process(int verbosity) : log(clock, log_level(verbosity)), loop(clock) {}
  env::Env env() { return {clock, random, loop, log, files}; }

  posix::PosixClock clock;
  posix::PosixRandom random;
  posix::PosixFiles files;
  posix::PosixLog log;
  posix::EventLoop loop;
  net::EndpointChecks network{loop};
  posix::PosixSupplies supplies;
};

// Where the machine's own bus is.
std::string system_bus() {
  const std::string address = posix::environment_variable("DBUS_SYSTEM_BUS_ADDRESS");
  return address.empty() ? logind::LogindShutdown::kSystemBus : address;
}

NodeMachine machine_of(Process& process, const NodeLimits& limits, const std::string& data_dir) {
  NodeMachine machine = this_machine(process.files, data_dir);
  machine.network = &process.network;
  machine.supplies = &process.supplies;
  for (const auto& [resource, amount] : limits.capacity) {
    machine.capacity[resource] = amount;
  }
  return machine;
}

using OnFinished = std::function<void(ExitCode)>;

// Lets a session live to its end. `make(session, on_finished)` emplaces it when signals are already
// watched: threads inherit the mask.
template <class Session, class Make>
ExitCode live(Process& process, Make make) {
  ExitCode code = ExitCode::failed;
  std::optional<Session> session;
  const posix::Signals signals(process.loop, {SIGINT, SIGTERM, SIGHUP, SIGPWR},
                               [&]([[maybe_unused]] int number) {
                                 if constexpr (requires { session->power_down(); }) {
                                   if (number == SIGPWR) {
                                     session->power_down();
                                     return;
                                   }
                                 }
                                 session->interrupt();
                               });
  make(session, [&](ExitCode finished) {
    code = finished;
    process.loop.stop();
  });
  session->start();
  process.loop.run();
  session.reset();
  return code;
}

// Absolute: supervisors have a working directory of their own.
std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::string data_dir_or_default(const std::string& data_dir) {
  return absolute_path(data_dir.empty()
                           ? default_data_dir(posix::environment_variable("XDG_STATE_HOME"),
                                              posix::environment_variable("HOME"))
                           : data_dir);
}

std::string image_dir_or_default(const std::string& image_dir) {
  return image_dir.empty() ? data_dir_or_default("") + "/images" : absolute_path(image_dir);
}

std::string temporary_dir() {
  std::string named = posix::environment_variable("TMPDIR");
  while (named.size() > 1 && named.ends_with('/')) {
    named.pop_back();
  }
  return named.starts_with('/') ? named : "/tmp";
}

ExitCode run_jobs(RunOptions options, Output& output) {
  options.images.directory = image_dir_or_default(options.images.directory);
  Process process(options.verbosity);
  const auto plan = plan_run(options, process.files, output);
  if (!plan || !preflight(*plan, options.images, process.files, output)) {
    return ExitCode::usage;
  }
  auto scratch = posix::ScratchDirectory::make(temporary_dir(), "windlass-run-");
  if (!scratch) {
    output.err("error: " + scratch.error().message + "\n");
    return ExitCode::failed;
  }
  NodeMachine machine = machine_of(process, options.limits, scratch->path());
  machine.scratch_dir = scratch->path();
  // It may have to wait for a reader in the end: then signals do again what they do by themselves.
  BackgroundOutput background(output, process.clock);
  return live<RunSession>(
      process, [&](std::optional<RunSession>& session, const OnFinished& on_finished) {
        session.emplace(
            process.env(), supervised_containers(process.loop, process.clock, process.log), options,
            *plan, machine, background, [&scratch, &background, on_finished](ExitCode code) {
              if (const auto removed = scratch->remove(); !removed) {
                background.err("warning: " + removed.error().message + "\n");
              }
              on_finished(code);
            });
      });
}

ExitCode keep_up(UpOptions options, Output& output) {
  options.data_dir = data_dir_or_default(options.data_dir);
  options.images.directory = image_dir_or_default(options.images.directory);
  posix::raise_descriptor_limit();
  Process process(options.verbosity);
  std::optional<posix::WorkerThread> journal_worker;
  std::optional<posix::WorkerThread> trash_worker;
  std::optional<posix::TrashFiles> files;
  logind::LogindShutdown shutdown(process.loop, process.log, system_bus());
  return live<UpSession>(
      process, [&](std::optional<UpSession>& session, const OnFinished& on_finished) {
        journal_worker.emplace(process.clock, "journal");
        trash_worker.emplace(process.clock, "trash");
        files.emplace(options.data_dir + "/trash", *trash_worker, process.log);
        NodeMachine machine = machine_of(process, options.limits, options.data_dir);
        machine.shutdown = &shutdown;
        session.emplace(env::Env{process.clock, process.random, process.loop, process.log, *files},
                        process.loop, *journal_worker,
                        supervised_containers(process.loop, process.clock, process.log), options,
                        std::move(machine), output, on_finished);
      });
}

// Of one process in an election: no two the same, and people see where it runs.
std::string unique_identity(env::Random& random) {
  std::array<std::byte, 16> bytes;
  random.fill(bytes);
  return posix::host_name() + "_" + Uuid::from_random(bytes).to_string();
}

// The first that is set.
std::string either_variable(const char* first, const char* second) {
  std::string value = posix::environment_variable(first);
  return value.empty() ? posix::environment_variable(second) : value;
}

// A Job controller beside the one of `windlass up` is never meant by default; readers are welcome.
enum class MayUseUp { no, yes };

ClusterEnvironment cluster_environment(MayUseUp up) {
  return {posix::environment_variable("KUBECONFIG"),
          posix::environment_variable("KUBERNETES_SERVICE_HOST"),
          posix::environment_variable("KUBERNETES_SERVICE_PORT"),
          posix::environment_variable("HOME"),
          up == MayUseUp::yes ? data_dir_or_default("") + "/kubeconfig" : "",
          {either_variable("HTTPS_PROXY", "https_proxy"),
           either_variable("HTTP_PROXY", "http_proxy"), either_variable("NO_PROXY", "no_proxy")}};
}

// Nothing, and why, where no cluster is named.
std::optional<remote::Access> access_to(const ClusterFlags& cluster, env::Files& files,
                                        Output& output, MayUseUp up = MayUseUp::yes) {
  auto access = find_cluster(files, cluster, cluster_environment(up));
  if (!access) {
    output.err("error: " + access.error().message + "\n");
    return std::nullopt;
  }
  return *std::move(access);
}

ExitCode keep_node(NodeOptions options, Output& output) {
  options.data_dir = data_dir_or_default(options.data_dir);
  options.images.directory = image_dir_or_default(options.images.directory);
  posix::raise_descriptor_limit();
  Process process(options.verbosity);
  const auto access = access_to(options.cluster, process.files, output);
  if (!access) {
    return ExitCode::usage;
  }
  logind::LogindShutdown shutdown(process.loop, process.log, system_bus());
  std::optional<posix::WorkerThread> trash_worker;
  std::optional<posix::TrashFiles> files;
  return live<NodeSession>(process, [&](std::optional<NodeSession>& session,
                                        const OnFinished& on_finished) {
    const std::string directory = joined_nodes_folder(options.data_dir) + "/" + options.name;
    trash_worker.emplace(process.clock, "trash");
    files.emplace(directory + "/trash", *trash_worker, process.log);
    NodeMachine machine = machine_of(process, options.limits, options.data_dir);
    machine.shutdown = &shutdown;
    session.emplace(env::Env{process.clock, process.random, process.loop, process.log, *files},
                    process.loop, supervised_containers(process.loop, process.clock, process.log),
                    *access, options, std::move(machine), output, on_finished);
  });
}

ExitCode control(const ControllerOptions& options, Output& output) {
  posix::raise_descriptor_limit();
  Process process(options.verbosity);
  const auto access = access_to(options.cluster, process.files, output, MayUseUp::no);
  if (!access) {
    return ExitCode::usage;
  }
  return live<ControllerSession>(
      process, [&](std::optional<ControllerSession>& session, const OnFinished& on_finished) {
        session.emplace(process.env(), process.loop, *access, options,
                        unique_identity(process.random), output, on_finished);
      });
}

ExitCode examine_cluster(const DoctorOptions& options, Output& output) {
  Process process(0);
  const auto access = access_to(options.cluster, process.files, output);
  if (!access) {
    return ExitCode::usage;
  }
  return live<DoctorSession>(
      process, [&](std::optional<DoctorSession>& session, const OnFinished& on_finished) {
        session.emplace(process.env(), process.loop, *access, options, output, on_finished);
      });
}

ExitCode execute(const DoctorOptions& options, Output& output) {
  return examine_cluster(options, output);
}

ExitCode execute(const ControllerOptions& options, Output& output) {
  return control(options, output);
}

ExitCode execute(const AnnotateOptions& options, Output& output) {
  posix::PosixFiles files;
  return annotate(options, files, output);
}

ExitCode execute(const UpOptions& options, Output& output) {
  return keep_up(options, output);
}

ExitCode execute(DownOptions options, Output& output) {
  options.data_dir = data_dir_or_default(options.data_dir);
  posix::PosixClock clock;
  posix::PosixFiles files;
  posix::PosixLog log(clock, env::LogLevel::warning);
  posix::EventLoop loop(clock);
  const ContainerFactory containers = supervised_containers(loop, clock, log);
  return take_down(options, {files, clock, loop, containers, output});
}

// One client of a cluster, for a command that asks and ends.
struct ClusterClient {
  explicit ClusterClient(const remote::Access& access)
      : credentials(files, clock, access, remote::plugin_runner(loop)),
        dialer(loop, clock, credentials),
        transport(loop, clock, random, dialer, {}),
        client(transport, random) {}

  // Until somebody has called what it was given.
  ExitCode run(const std::function<void(const OnFinished&)>& begin) {
    ExitCode code = ExitCode::failed;
    begin([this, &code](ExitCode finished) {
      code = finished;
      loop.stop();
    });
    loop.run();
    return code;
  }

  posix::PosixClock clock;
  posix::PosixRandom random;
  posix::PosixFiles files;
  posix::EventLoop loop{clock};
  remote::Credentials credentials;
  remote::Dialer dialer;
  remote::Transport transport;
  remote::RemoteClient client;
};

ExitCode execute(ExplainOptions options, Output& output) {
  posix::PosixFiles files;
  const auto access = access_to(options.cluster, files, output);
  if (!access) {
    return ExitCode::usage;
  }
  options.ns = options.ns.empty() ? access->ns : options.ns;
  ClusterClient cluster(*access);
  std::optional<ExplainSession> session;
  return cluster.run([&](const OnFinished& on_finished) {
    session.emplace(
        cluster.client,
        [&cluster](const std::string& path, client::Done<std::string> done) {
          cluster.client.get_text(path, std::move(done));
        },
        cluster.clock, options, output, on_finished);
    session->start();
  });
}

ExitCode execute(const NodeOptions& options, Output& output) {
  return keep_node(options, output);
}

ExitCode execute(const NodeShutdownOptions& options, Output& output) {
  posix::PosixFiles files;
  const auto access = access_to(options.cluster, files, output);
  if (!access) {
    return ExitCode::usage;
  }
  ClusterClient cluster(*access);
  return cluster.run([&](const OnFinished& on_finished) {
    order_node_shutdown(cluster.client, options, cluster.clock.now(), output, on_finished);
  });
}

ExitCode execute(ImageOptions options, Output& output) {
  options.directory = image_dir_or_default(options.directory);
  for (std::string* path : {&options.source, &options.from_static}) {
    *path = path->empty() ? "" : absolute_path(*path);
  }
  posix::PosixFiles files;
  return keep_images(options, files, output);
}

ExitCode execute(KubeconfigOptions options, Output& output) {
  options.data_dir = data_dir_or_default(options.data_dir);
  posix::PosixFiles files;
  return print_kubeconfig(options, files, posix::PosixClock().now(), output);
}

ExitCode execute(const ValidateOptions& options, Output& output) {
  posix::PosixFiles files;
  return validate(options, files, output);
}

ExitCode execute(const PolicyTestOptions& options, Output& output) {
  posix::PosixFiles files;
  return policy_test(options, files, output);
}

ExitCode execute(const PolicyLintOptions& options, Output& output) {
  posix::PosixFiles files;
  return policy_lint(options, files, output);
}

ExitCode execute(const RunOptions& options, Output& output) {
  return run_jobs(options, output);
}

ExitCode execute(const SimulateOptions& options, Output& output) {
  posix::PosixFiles files;
  return simulate(options, files, output);
}

ExitCode execute(const SupervisorCommand& command, Output& output) {
  supervisor::SupervisorOptions options;
  options.directory = command.directory;
  const Result<void> served = supervisor::serve(options);
  if (!served) {
    output.err("error: " + served.error().message + "\n");
  }
  return served ? ExitCode::ok : ExitCode::failed;
}

ExitCode execute(const VersionOptions& options, Output& output) {
  output.out(version_text(options.format));
  return ExitCode::ok;
}

ExitCode execute(const Usage& usage, Output& output) {
  usage.is_error ? output.err(usage.text) : output.out(usage.text);
  return usage.is_error ? ExitCode::usage : ExitCode::ok;
}

}  // namespace

ExitCode run_program(const std::vector<std::string>& arguments, Output& output) {
  const CommandLine command = parse_command_line(arguments);
  return std::visit([&](const auto& options) { return execute(options, output); }, command);
}

}  // namespace windlass::cli
