#include "cli/container_factory.h"

#include <utility>

#include "supervisor/client.h"
#include "supervisor/launcher.h"

namespace windlass::cli {
namespace {

// The program that runs, also when its file has been replaced or moved.
constexpr const char* kThisProgram = "/proc/self/exe";

}  // namespace

ContainerFactory supervised_containers(posix::EventLoop& loop, env::Clock& clock, env::Log& log) {
  return [&loop, &clock, &log](const std::string& directory, ContainerLife life) {
    supervisor::ClientOptions options;
    options.directory = directory;
    options.launch = [launcher = std::make_shared<supervisor::Launcher>(
                          loop, kThisProgram, directory)] { return launcher->launch(); };
    options.end_with_me = life == ContainerLife::with_owner;
    return std::make_shared<supervisor::SupervisorClient>(loop, clock, log, std::move(options));
  };
}

}  // namespace windlass::cli
