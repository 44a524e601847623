// The supervisor's runs: from a request to the durable record of its end.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "supervisor/peer.h"
#include "supervisor/process_use.h"
#include "supervisor/supervisor.h"

namespace windlass::supervisor {
namespace {

// A full disk is looked at again this often.
constexpr Duration kCommitRetry = seconds(1);

Status as_not_created(const Status& why) {
  return env::is_not_created(why) ? why : env::not_created(why.message);
}

}  // namespace

void Supervisor::handle(const Start& message) {
  const std::string& id = message.request.id;
  if (ledger_.find(id) != nullptr) {
    if (!awaits_commit(id)) {
      report(id);  // reliability.md N1: never twice
    }
    return;
  }
  if (const Result<void> possible = check_request(message.request); !possible) {
    send_failed(id, possible.error().message);
    return;
  }
  if (shutting_down_ || ledger_.full() || containers_.size() >= max_containers_) {
    refuse(id, env::not_created(shutting_down_ ? "the supervisor is shutting down"
                                               : "too many containers"));
    return;
  }
  if (const Result<void> launched = launch(message.request); !launched) {
    // There is no process yet: whatever is missing for one is the machine's matter.
    failed(id, as_not_created(launched.error()));
  }
}

// Without a record: nothing has happened, and asking again may fare better.
void Supervisor::refuse(const std::string& id, const Status& why) {
  if (peer_ && peer_->version >= kFirstVersionWithSharedMemory) {
    send(NotCreated{id, as_not_created(why).reason, why.message});
  } else if (peer_ && peer_->version >= kFirstVersionWithRefusals) {
    send(Refused{id, why.message});
  } else {
    send_failed(id, why.message);
  }
}

void Supervisor::send_failed(const std::string& id, const std::string& why) {
  env::ContainerRunInfo run;
  run.id = id;
  run.state = env::ContainerRunInfo::State::failed;
  run.error = why;
  send(RunReport{std::move(run)});
}

Result<void> Supervisor::launch(const env::ContainerRequest& request) {
  std::unique_ptr<LogFile> log;
  if (!request.log_path.empty()) {
    log = std::make_unique<LogFile>(clock_, request.log_path, options_.logs);
  }
  std::vector<posix::FileDescriptor> memory;
  if (setting_.namespaces) {
    TRY(memory, memory_.open(request.id, request.isolation.mounts));
  }
  TRY(std::unique_ptr<ContainerGroup> group,
      cgroups_->make(fmt::format("{:x}", ++last_group_), request.limits));
  Result<Launched> launched = launch_container(request, setting_, *group, memory);
  if (!launched) {
    group->remove();
    return fail(std::move(launched).error());
  }
  const ProcessMark mark{launched->pid, launched->start_ticks};
  ledger_.intend(request.id, mark, clock_.now());
  Container::Listener& listener = *this;
  containers_.emplace(
      request.id, std::make_unique<Container>(loop_, clock_, listener, request.id, std::move(group),
                                              std::move(log), *std::move(launched)));
  to_release_.push_back(request.id);
  schedule_commit();
  return {};
}

void Supervisor::handle(const Signal& message) {
  if (const auto found = containers_.find(message.id); found != containers_.end()) {
    found->second->signal(message.number);
  }
}

void Supervisor::handle(const Exec& message) {
  const auto answer = [this, number = message.number](Result<env::ContainerExecResult> result) {
    send(ExecDone{number, result ? "" : result.error().message,
                  result ? *std::move(result) : env::ContainerExecResult()});
  };
  const auto found = containers_.find(message.exec.id);
  if (found == containers_.end() || !found->second->running()) {
    answer(fail(plain_error("the container is not running")));
    return;
  }
  if (commands_.size() >= kMaxCommands || message.exec.command.empty()) {
    answer(fail(plain_error(message.exec.command.empty() ? "exec: no command"
                                                         : "too many commands at once")));
    return;
  }
  const Container& container = *found->second;
  Result<Launched> launched = launch_command(message.exec, container.powers(), container.pidfd(),
                                             setting_, container.group());
  if (!launched) {
    answer(fail(std::move(launched).error()));
    return;
  }
  const uint64_t key = ++last_command_;
  const auto done = [this, key, answer](Result<env::ContainerExecResult> result) {
    answer(std::move(result));
    const auto command = commands_.find(key);
    retired_commands_.push_back(std::move(command->second));
    commands_.erase(command);
    retire();
  };
  commands_.emplace(key,
                    std::make_unique<Command>(loop_, *std::move(launched), message.exec.timeout,
                                              message.exec.max_output_bytes, done));
}

void Supervisor::handle(const Forget& message) {
  send(Forgotten{message.id});
  const Ledger::Entry* entry = ledger_.find(message.id);
  if (entry == nullptr) {
    return;
  }
  if (!entry->run.over() || awaits_commit(message.id)) {
    forget_when_over_.push_back(message.id);
    return;
  }
  // Durable with the next commit that has another reason: until then it is only remembered longer.
  forget_run(message.id);
}

void Supervisor::handle(const AskUse&) {
  std::vector<std::string> ids;
  std::vector<pid_t> first;
  for (const auto& [id, container] : containers_) {
    if (container->running()) {
      ids.push_back(id);
      first.push_back(container->pid());
    }
  }
  const std::vector<ProcessUse> uses = use_of_trees(first);
  Use answer;
  for (size_t i = 0; i < ids.size(); ++i) {
    answer.containers.push_back({ids[i], uses[i].memory_bytes, uses[i].threads});
  }
  memory_.add_to(answer.containers);
  send(answer);
}

void Supervisor::started(const std::string& id) {
  ledger_.set_running(id);
  report(id);
}

void Supervisor::failed(const std::string& id, const Status& why) {
  if (std::erase(abandoned_, id) != 0 || env::is_not_created(why)) {
    forget_run(id);
    std::erase(to_release_, id);
    std::erase(forget_when_over_, id);
    retire_container(id);
    schedule_commit();
    refuse(id, why);
    return;
  }
  env::ContainerRunInfo run;
  run.id = id;
  run.state = env::ContainerRunInfo::State::failed;
  run.error = why.message;
  run.exit.finished_at = clock_.now();
  over(run);
}

void Supervisor::ended(const std::string& id, const env::ContainerExit& exit) {
  env::ContainerRunInfo run;
  run.id = id;
  run.state = env::ContainerRunInfo::State::ended;
  run.exit = exit;
  over(run);
}

void Supervisor::over(const env::ContainerRunInfo& run) {
  ledger_.end(run);
  to_report_.push_back(run.id);
  retire_container(run.id);
  schedule_commit();
}

void Supervisor::retire_container(const std::string& id) {
  if (const auto found = containers_.find(id); found != containers_.end()) {
    retired_.push_back(std::move(found->second));
    containers_.erase(found);
    retire();
  }
}

void Supervisor::forget_run(const std::string& id) {
  if (ledger_.find(id) != nullptr) {
    ledger_.forget(id);
  }
  memory_.release(id);
}

void Supervisor::schedule_commit() {
  if (!std::exchange(commit_scheduled_, true)) {
    loop_.post([this] { commit(); });
  }
}

void Supervisor::commit() {
  commit_scheduled_ = false;
  if (const Result<void> written = ledger_.commit(); !written) {
    commit_failed(written.error());
    return;
  }
  for (const std::string& id : std::exchange(to_release_, {})) {
    if (const auto found = containers_.find(id); found != containers_.end()) {
      found->second->release();
    }
  }
  const std::vector<std::string> told = std::exchange(to_report_, {});
  for (const std::string& id : told) {
    report(id);
  }
  for (const std::string& id : told) {
    if (std::erase(forget_when_over_, id) != 0) {
      forget_run(id);
    }
  }
  if (shutting_down_ && ledger_.pending()) {
    schedule_commit();
  }
  stop_if_done();
}

// Nothing that is not on disk may run. What has ended stays to be told until it is.
void Supervisor::commit_failed(const Status& why) {
  log_.error("the journal cannot be written", {{"error", why.message}});
  for (const std::string& id : std::exchange(to_release_, {})) {
    if (const auto found = containers_.find(id); found != containers_.end()) {
      abandoned_.push_back(id);
      found->second->abandon(env::not_created(why.message));
    }
  }
  loop_.cancel(commit_timer_);
  commit_timer_ = loop_.schedule(kCommitRetry, [this] {
    commit_timer_ = env::TimerId::none;
    schedule_commit();
  });
}

}  // namespace windlass::supervisor
