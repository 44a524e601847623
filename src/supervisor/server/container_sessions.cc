#include "supervisor/server/container_sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "supervisor/child/launch.h"

namespace windlass::supervisor {
namespace {

std::string_view pod_of(std::string_view id) {
  return id.substr(0, id.find('/'));
}

// As other runtimes have it for programs that look at their terminal's kind.
void name_terminal(std::vector<std::string>& environment) {
  const bool named = std::any_of(environment.begin(), environment.end(),
                                 [](const std::string& each) { return each.starts_with("TERM="); });
  if (!named) {
    environment.push_back("TERM=xterm");
  }
}

}  // namespace

void ContainerSessions::open(uint64_t number, const OpenSession& order, const std::string& run_id,
                             const Container* container, const ChildSetting& setting) {
  if (const Result<void> possible = check(order, container); !possible) {
    return refuse(number, possible.error());
  }
  const ProgramSetting& program = container->program();
  env::ContainerExec exec;
  exec.id = run_id;
  exec.command = order.command;
  exec.environment = program.environment;
  exec.working_directory = program.working_directory;
  exec.uid = program.uid;
  exec.gid = program.gid;
  if (order.terminal) {
    name_terminal(exec.environment);
  }
  Result<Launched> launched = launch_command(
      exec, {.input = order.input, .separate_errors = true, .terminal = order.terminal},
      container->privileges(), container->pidfd(), setting, container->group());
  if (!launched) {
    return refuse(number, launched.error());
  }
  Session& session = sessions_[number];
  session.run_id = run_id;
  session.process = std::make_unique<SessionProcess>(
      loop_, *std::move(launched), order.terminal,
      SessionProcess::Handlers{[this, number](std::vector<posix::FileDescriptor> streams) {
                                 clients_.send_to_session(number, SessionStarted{},
                                                          std::move(streams));
                               },
                               [this, number](const SessionEnded& end) { on_done(number, end); }});
}

Result<void> ContainerSessions::check(const OpenSession& order, const Container* container) const {
  if (container == nullptr) {
    return fail(plain_error("the container is not running"));
  }
  TRY_VOID(check_session(order));
  const auto of_pod = std::count_if(sessions_.begin(), sessions_.end(), [&](const auto& each) {
    return pod_of(each.second.run_id) == pod_of(order.container);
  });
  if (sessions_.size() >= kMaxSessions || static_cast<size_t>(of_pod) >= kMaxSessionsOfPod) {
    return fail(
        plain_error(fmt::format("too many sessions: at most {} in one pod, and {} on a node",
                                kMaxSessionsOfPod, kMaxSessions)));
  }
  return {};
}

void ContainerSessions::refuse(uint64_t number, const Status& why) {
  clients_.send_to_session(number, SessionEnded{.error = why.message, .refused = true}, {});
  clients_.close_session(number);
}

void ContainerSessions::hang_up(uint64_t number) {
  if (const auto found = sessions_.find(number); found != sessions_.end()) {
    found->second.process->hang_up();
  }
}

void ContainerSessions::end_all_of(const std::string& run_id) {
  for (const auto& [number, session] : sessions_) {
    if (session.run_id == run_id) {
      session.process->kill();
    }
  }
}

void ContainerSessions::on_done(uint64_t number, const SessionEnded& end) {
  clients_.send_to_session(number, end, {});
  clients_.close_session(number);
  // Destroyed in a turn of its own, never inside one of its callbacks.
  loop_.post([process = std::shared_ptr<SessionProcess>(
                  std::move(sessions_.extract(number).mapped().process))] {});
}

}  // namespace windlass::supervisor
