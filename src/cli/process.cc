#include "cli/process.h"

#include <unistd.h>

#include <filesystem>

#include "logind/logind_shutdown.h"
#include "posix/process/inherited.h"

namespace windlass::cli {
namespace {

env::LogLevel log_level(int verbosity) {
  if (verbosity <= 0) {
    return env::LogLevel::warning;
  }
  return verbosity == 1 ? env::LogLevel::info : env::LogLevel::debug;
}

// The first that is set.
std::string either_variable(const char* first, const char* second) {
  std::string value = posix::environment_variable(first);
  return value.empty() ? posix::environment_variable(second) : value;
}

}  // namespace

ClusterEnvironment cluster_environment(LocalCluster local) {
  return {posix::environment_variable("KUBECONFIG"),
          posix::environment_variable("KUBERNETES_SERVICE_HOST"),
          posix::environment_variable("KUBERNETES_SERVICE_PORT"),
          posix::environment_variable("HOME"),
          local == LocalCluster::yes ? data_dir_or_default("") + "/kubeconfig" : "",
          {either_variable("HTTPS_PROXY", "https_proxy"),
           either_variable("HTTP_PROXY", "http_proxy"), either_variable("NO_PROXY", "no_proxy")}};
}

std::string default_data_dir(const std::string& xdg_state_home, const std::string& home) {
  // The XDG specification ignores relative paths.
  return (xdg_state_home.starts_with('/') ? xdg_state_home : home + "/.local/state") + "/windlass";
}

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

std::string runs_directory() {
  return data_dir_or_default("") + "/runs";
}

std::string temporary_dir() {
  std::string named = posix::environment_variable("TMPDIR");
  while (named.size() > 1 && named.ends_with('/')) {
    named.pop_back();
  }
  return named.starts_with('/') ? named : "/tmp";
}

std::string image_dir_or_default(const std::string& image_dir) {
  return image_dir.empty() ? data_dir_or_default("") + "/images" : absolute_path(image_dir);
}

images::BackgroundPulls::Options pull_options(const std::string& image_dir) {
  return {.directory = image_dir, .architecture = plane::this_architecture()};
}

std::string system_bus() {
  const std::string address = posix::environment_variable("DBUS_SYSTEM_BUS_ADDRESS");
  return address.empty() ? logind::LogindShutdown::kSystemBus : address;
}

Process::Process(int verbosity)
    : log(clock, log_level(verbosity), STDERR_FILENO, posix::log_style_of(STDERR_FILENO)),
      loop(clock) {}

plane::NodeMachine Process::machine(const plane::NodeLimits& limits, const std::string& data_dir) {
  plane::NodeMachine machine = plane::this_machine(files, data_dir);
  machine.network = &network;
  // Also those of a `windlass up` beside this command.
  machine.private_directories = {data_dir, data_dir_or_default("")};
  machine.host_resources = &host_resources;
  for (const auto& [resource, amount] : limits.capacity) {
    machine.capacity[resource] = amount;
  }
  return machine;
}

std::optional<remote::ClusterAccess> open_cluster(const ClusterFlags& cluster, LocalCluster local,
                                                  env::Files& files, Output& output) {
  auto access = find_cluster(files, cluster, cluster_environment(local));
  if (!access) {
    output.err("error: " + access.error().message + "\n");
    return std::nullopt;
  }
  return *std::move(access);
}

ClusterClient::ClusterClient(const remote::ClusterAccess& access)
    : credentials(files, clock, access, remote::plugin_runner(loop)),
      dialer(loop, clock, credentials),
      transport(loop, clock, random, dialer, {}),
      client(transport, random) {}

ExitCode ClusterClient::run(const std::function<void(const OnFinished&)>& begin) {
  ExitCode code = ExitCode::failed;
  begin([this, &code](ExitCode finished) {
    code = finished;
    loop.stop();
  });
  loop.run();
  return code;
}

}  // namespace windlass::cli
