#include "supervisor/server/container_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "supervisor/cgroup/cgroup_files.h"
#include "supervisor/cgroup/process_use.h"
#include "supervisor/server/leftovers.h"
#include "supervisor/server/probe.h"

namespace windlass::supervisor {
namespace {

constexpr size_t kDescriptorsPerContainer = 8;
constexpr size_t kOwnDescriptors = 64;
// One volume in memory for so many containers that there may be.
constexpr size_t kContainersPerMemory = 4;
constexpr Duration kLeftoverPatience = seconds(10);
// A full disk is looked at again this often.
constexpr Duration kCommitRetry = seconds(1);

size_t container_limit(size_t descriptors) {
  return descriptors <= kOwnDescriptors
             ? 1
             : (descriptors - kOwnDescriptors) / kDescriptorsPerContainer;
}

// For a run whose end is not on disk yet: it will be told when it is.
env::ContainerRunInfo still_running(const env::ContainerRunInfo& run) {
  env::ContainerRunInfo shown;
  shown.id = run.id;
  shown.state = env::ContainerRunInfo::State::running;
  shown.exit.started_at = run.exit.started_at;
  return shown;
}

Status as_not_created(const Status& why) {
  return env::is_not_created(why) ? why : env::not_created(why.message);
}

// Objects are destroyed in a turn of their own, never inside one of their callbacks.
template <class T>
void retire(posix::EventLoop& loop, std::unique_ptr<T> object) {
  loop.post([object = std::shared_ptr<T>(std::move(object))] {});
}

}  // namespace

ContainerRuns::ContainerRuns(posix::EventLoop& loop, env::Clock& clock, env::Log& log, Owner& owner,
                             ContainerRunsOptions options)
    : loop_(loop),
      clock_(clock),
      log_(log),
      owner_(owner),
      options_(std::move(options)),
      max_containers_(container_limit(options_.max_descriptors)),
      setting_(
          probe_namespaces(options_.use_namespaces, options_.inherited_descriptors, isolation_)),
      memory_(setting_, max_containers_ / kContainersPerMemory),
      run_table_(options_.directory),
      sessions_(loop, owner) {}

Result<void> ContainerRuns::open() {
  const CgroupMounts mounts = options_.use_cgroups ? usable_cgroup_mounts() : CgroupMounts();
  cgroups_ = std::make_unique<Cgroups>(mounts, group_name(options_.directory), isolation_);
  TRY(const bool same_boot, run_table_.open(boot_id()));
  end_leftovers(same_boot);
  return run_table_.commit();
}

void ContainerRuns::shut_down() {
  if (!std::exchange(shutting_down_, true)) {
    for (const auto& [id, container] : containers_) {
      container->kill();
    }
  }
  if (run_table_.pending()) {
    schedule_commit();
  }
}

void ContainerRuns::report_all() {
  for (const auto& [id, entry] : run_table_.runs()) {
    send_report(awaits_commit(id) ? still_running(entry.run) : entry.run);
  }
}

void ContainerRuns::report(const std::string& id) {
  if (const RunTable::Entry* entry = run_table_.find(id)) {
    send_report(entry->run);
  }
}

void ContainerRuns::send_report(const env::ContainerRunInfo& run) {
  const env::ContainerExit& exit = run.exit;
  if (run.over() && (exit.peak_memory_bytes || exit.cpu_microseconds) &&
      owner_.agent_version() >= kFirstVersionWithRunUse) {
    owner_.send(RunUse{run.id, exit.peak_memory_bytes, exit.cpu_microseconds});
  }
  owner_.send(RunReport{run});
}

bool ContainerRuns::awaits_commit(const std::string& id) const {
  return std::find(to_report_.begin(), to_report_.end(), id) != to_report_.end();
}

void ContainerRuns::end_leftovers(bool same_boot) {
  const bool clean = cgroups_->clear_leftovers(kLeftoverPatience);
  if (!clean) {
    log_.error("processes of an earlier supervisor do not die",
               {{"directory", options_.directory}});
  }
  std::vector<RunTable::Entry> lost;
  for (const auto& [id, entry] : run_table_.runs()) {
    if (!entry.run.over()) {
      lost.push_back(entry);
    }
  }
  for (RunTable::Entry& entry : lost) {
    if (same_boot && !end_marked_process(entry.process, kLeftoverPatience)) {
      log_.error("a process of an earlier supervisor does not die",
                 {{"container", entry.run.id}, {"pid", fmt::format("{}", entry.process.pid)}});
    }
    // safety.md N3: never a success, whatever it may have done.
    entry.run.state = env::ContainerRunInfo::State::ended;
    entry.run.exit.code = 137;
    entry.run.exit.signal = 9;
    entry.run.exit.lost = true;
    entry.run.exit.finished_at = clock_.now();
    run_table_.end(entry.run);
  }
}

void ContainerRuns::handle(const Start& message) {
  const std::string& id = message.request.id;
  if (run_table_.find(id) != nullptr) {
    if (!awaits_commit(id)) {
      report(id);  // safety.md N1: never twice
    }
    return;
  }
  if (const Result<void> possible = check_request(message.request); !possible) {
    send_failed(id, possible.error().message);
    return;
  }
  if (shutting_down_ || run_table_.full() || containers_.size() >= max_containers_) {
    refuse(id, env::not_created(shutting_down_ ? "the supervisor is shutting down"
                                               : "too many containers"));
    return;
  }
  if (const Result<void> launched = launch(message.request); !launched) {
    // There is no process yet: the machine lacks something for one.
    failed(id, as_not_created(launched.error()));
  }
}

// Without a record: nothing has happened, and asking again may fare better.
void ContainerRuns::refuse(const std::string& id, const Status& why) {
  const uint32_t version = owner_.agent_version();
  if (version >= kFirstVersionWithSharedMemory) {
    owner_.send(NotCreated{id, as_not_created(why).reason, why.message});
  } else if (version >= kFirstVersionWithRefusals) {
    owner_.send(Refused{id, why.message});
  } else {
    send_failed(id, why.message);
  }
}

void ContainerRuns::send_failed(const std::string& id, const std::string& why) {
  env::ContainerRunInfo run;
  run.id = id;
  run.state = env::ContainerRunInfo::State::failed;
  run.error = why;
  owner_.send(RunReport{std::move(run)});
}

Result<void> ContainerRuns::launch(const env::ContainerRequest& request) {
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
  run_table_.intend(request.id, mark, clock_.now());
  Container::Listener& listener = *this;
  containers_.emplace(
      request.id, std::make_unique<Container>(loop_, clock_, listener, request.id, std::move(group),
                                              std::move(log), *std::move(launched)));
  to_release_.push_back(request.id);
  schedule_commit();
  return {};
}

void ContainerRuns::handle(const Signal& message) {
  if (const auto found = containers_.find(message.id); found != containers_.end()) {
    found->second->signal(message.number);
  }
}

void ContainerRuns::handle(const Exec& message) {
  const auto answer = [this, number = message.number](Result<env::ContainerExecResult> result) {
    owner_.send(ExecDone{number, result ? "" : result.error().message,
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
  Result<Launched> launched = launch_command(message.exec, {}, container.privileges(),
                                             container.pidfd(), setting_, container.group());
  if (!launched) {
    answer(fail(std::move(launched).error()));
    return;
  }
  const uint64_t key = ++last_command_;
  const auto done = [this, key, answer](Result<env::ContainerExecResult> result) {
    answer(std::move(result));
    retire(loop_, std::move(commands_.extract(key).mapped()));
  };
  commands_.emplace(key,
                    std::make_unique<ExecProcess>(loop_, *std::move(launched), message.exec.timeout,
                                                  message.exec.max_output_bytes, done));
}

// In the run of the container that is running: its attempts come one after the other.
void ContainerRuns::open_session(uint64_t number, const OpenSession& order) {
  const std::string prefix = order.container + "/";
  auto found = containers_.lower_bound(prefix);
  while (found != containers_.end() && found->first.starts_with(prefix) &&
         !found->second->running()) {
    ++found;
  }
  const bool runs = found != containers_.end() && found->first.starts_with(prefix);
  sessions_.open(number, order, runs ? found->first : "", runs ? found->second.get() : nullptr,
                 setting_);
}

void ContainerRuns::handle(const Forget& message) {
  owner_.send(Forgotten{message.id});
  const RunTable::Entry* entry = run_table_.find(message.id);
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

void ContainerRuns::handle(const AskUse&) {
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
  owner_.send(answer);
}

void ContainerRuns::started(const std::string& id) {
  run_table_.set_running(id);
  report(id);
}

void ContainerRuns::failed(const std::string& id, const Status& why) {
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

void ContainerRuns::ended(const std::string& id, const env::ContainerExit& exit) {
  env::ContainerRunInfo run;
  run.id = id;
  run.state = env::ContainerRunInfo::State::ended;
  run.exit = exit;
  over(run);
}

void ContainerRuns::over(const env::ContainerRunInfo& run) {
  run_table_.end(run);
  to_report_.push_back(run.id);
  retire_container(run.id);
  schedule_commit();
}

void ContainerRuns::retire_container(const std::string& id) {
  sessions_.end_all_of(id);
  if (const auto found = containers_.find(id); found != containers_.end()) {
    retire(loop_, std::move(found->second));
    containers_.erase(found);
  }
}

void ContainerRuns::forget_run(const std::string& id) {
  if (run_table_.find(id) != nullptr) {
    run_table_.forget(id);
  }
  memory_.release(id);
}

void ContainerRuns::schedule_commit() {
  if (!std::exchange(commit_scheduled_, true)) {
    loop_.post([this] { commit(); });
  }
}

void ContainerRuns::commit() {
  commit_scheduled_ = false;
  if (const Result<void> written = run_table_.commit(); !written) {
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
  if (shutting_down_ && run_table_.pending()) {
    schedule_commit();
  }
  owner_.on_committed();
}

// Nothing runs before it is on disk. Ends are told once they are.
void ContainerRuns::commit_failed(const Status& why) {
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
