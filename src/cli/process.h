// The process that a command runs in: the posix implementation of env, the signals, and the paths
// that the environment names.
#pragma once

#include <signal.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "cli/flags/cluster_flags.h"
#include "cli/output/output.h"
#include "env/env.h"
#include "images/store/background_pulls.h"
#include "net/checks/endpoint_checks.h"
#include "plane/machine.h"
#include "plane/node_settings.h"
#include "posix/event_loop.h"
#include "posix/files/posix_files.h"
#include "posix/posix_clock.h"
#include "posix/posix_log.h"
#include "posix/posix_random.h"
#include "posix/process/posix_host_resources.h"
#include "posix/signals.h"
#include "remote/remote_client.h"

namespace windlass::cli {

using OnFinished = std::function<void(ExitCode)>;

// $XDG_STATE_HOME/windlass, or ~/.local/state/windlass.
std::string default_data_dir(const std::string& xdg_state_home, const std::string& home);

// Absolute, because supervisors have a working directory of their own. "" is the default.
std::string data_dir_or_default(const std::string& data_dir);
// Where `windlass run` keeps its last runs (runs/run_store.h).
std::string runs_directory();
// $TMPDIR, or /tmp.
std::string temporary_dir();
std::string image_dir_or_default(const std::string& image_dir);
std::string absolute_path(const std::string& path);
// Of the nodes of this process, into this store.
images::BackgroundPulls::Options pull_options(const std::string& image_dir);

// The address of the machine's D-Bus, where logind announces shutdowns.
std::string system_bus();

// For commands that run for a while on an event loop.
struct Process {
  explicit Process(int verbosity);

  env::Env env() { return {clock, random, loop, log, files}; }
  // This machine with the capacity of `limits`; the disk is that of `data_dir`.
  plane::NodeMachine machine(const plane::NodeLimits& limits, const std::string& data_dir);

  // Runs a session to its end. `make(session, on_finished)` emplaces it once signals are watched,
  // because threads inherit the signal mask.
  template <class Session, class Make>
  ExitCode run_session(Make make);

  posix::PosixClock clock;
  posix::PosixRandom random;
  posix::PosixFiles files;
  posix::PosixLog log;
  posix::EventLoop loop;
  net::EndpointChecks network{loop};
  posix::PosixHostResources host_resources;
};

// What the variables of this process say of clusters.
ClusterEnvironment cluster_environment(LocalCluster local);

// Nothing, with an error on `output`, where no cluster is named.
std::optional<remote::ClusterAccess> open_cluster(const ClusterFlags& cluster, LocalCluster local,
                                                  env::Files& files, Output& output);

// A client of one cluster, for commands that ask and end.
struct ClusterClient {
  explicit ClusterClient(const remote::ClusterAccess& access);

  // Returns what `begin` passes to its argument.
  ExitCode run(const std::function<void(const OnFinished&)>& begin);
  // Reads the text of any path of the server.
  auto text_reader() {
    return [this](const std::string& path, client::Done<std::string> done) {
      client.get_text(path, std::move(done));
    };
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

// Runs the session of a command about one Job to its end. `options.ns` becomes that of the context
// where none is given. `make(session, cluster, on_finished)` emplaces the session.
template <class Session, class Options, class Make>
ExitCode run_job_session(Options& options, Output& output, Make make) {
  posix::PosixFiles files;
  const auto access = open_cluster(options.cluster, LocalCluster::yes, files, output);
  if (!access) {
    return ExitCode::usage;
  }
  options.ns = options.ns.empty() ? access->ns : options.ns;
  ClusterClient cluster(*access);
  std::optional<Session> session;
  return cluster.run([&](const OnFinished& on_finished) {
    make(session, cluster, on_finished);
    session->start();
  });
}

template <class Session, class Make>
ExitCode Process::run_session(Make make) {
  ExitCode code = ExitCode::failed;
  std::optional<Session> session;
  const posix::Signals signals(loop, {SIGINT, SIGTERM, SIGHUP, SIGPWR, SIGCONT},
                               [&]([[maybe_unused]] int number) {
                                 if constexpr (requires { session->power_down(); }) {
                                   if (number == SIGPWR) {
                                     session->power_down();
                                     return;
                                   }
                                 }
                                 if (number == SIGCONT) {
                                   if constexpr (requires { session->resume(); }) {
                                     session->resume();
                                   }
                                   return;
                                 }
                                 session->interrupt();
                               });
  make(session, [&](ExitCode finished) {
    code = finished;
    loop.stop();
  });
  session->start();
  loop.run();
  session.reset();
  return code;
}

}  // namespace windlass::cli
