#include "plane/container_factory.h"

#include <utility>
#include <vector>

#include "plane/supervisor_program.h"
#include "posix/process/sealed_program.h"
#include "supervisor/protocol/client.h"
#include "supervisor/protocol/launcher.h"

namespace windlass::plane {
namespace {

// This program, also when its file has been replaced or moved. It can supervise, too, but is
// slower: its memory is larger, and a part of that is copied for every container.
constexpr const char* kThisProgram = "/proc/self/exe";

std::vector<std::string> programs(const Result<posix::SealedProgram>& own) {
  return own ? std::vector<std::string>{own->path(), kThisProgram}
             : std::vector<std::string>{kThisProgram};
}

}  // namespace

ContainerFactory supervised_containers(posix::EventLoop& loop, env::Clock& clock, env::Log& log) {
  const auto own = std::make_shared<const Result<posix::SealedProgram>>(
      posix::SealedProgram::make("windlass-supervisor", supervisor_program()));
  if (!*own) {
    log.info("cannot use the small supervisor program; using this program instead",
             {{"error", own->error().message}});
  }
  return [&loop, &clock, &log, own](const std::string& directory, ContainerLife life) {
    supervisor::SupervisorClientOptions options;
    options.directory = directory;
    options.launch = [own, launcher = std::make_shared<supervisor::Launcher>(
                               loop, programs(*own), directory)] { return launcher->launch(); };
    options.end_with_me = life == ContainerLife::with_owner;
    return std::make_shared<supervisor::SupervisorClient>(loop, clock, log, std::move(options));
  };
}

}  // namespace windlass::plane
