#include "policy/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "engine/policy/failure_policy.h"
#include "engine/status/conditions.h"

namespace windlass::policy {
namespace {

// Any time will do; this one lies in the future.
constexpr int64_t kStartUnixSeconds = 1'800'000'000;

// The Job as it would run: one pod at a time, not suspended, and this program's own.
engine::JobView runnable(const Subject& subject) {
  engine::JobView view = subject.job;
  view.uid = "00000000-0000-4000-8000-000000000000";
  view.rv = 1;
  view.generation = 1;
  view.spec.parallelism = 1;
  view.spec.suspend = false;
  view.spec.managed_by.clear();
  return view;
}

std::string numbered_uid(int number) {
  return fmt::format("00000000-0000-4000-8000-{:012}", number);
}

// A name as the server would give it, the same in every run. Digits that are in no generated name
// would look odd, so the number is written in letters that are.
std::string numbered_suffix(int number) {
  constexpr std::string_view kLetters = "bcdfghjklm";
  std::string suffix = fmt::format("{:05}", number % 100'000);
  for (char& c : suffix) {
    c = kLetters[static_cast<size_t>(c - '0')];
  }
  return suffix;
}

}  // namespace

Rehearsal::Rehearsal(const Subject& subject)
    : subject_(subject),
      job_(runnable(subject)),
      // The last instant of a second, which is what the Job's start time then stands for.
      start_(time_from_unix(kStartUnixSeconds) - nanoseconds(1)),
      now_(start_),
      engine_(subject.options, job_) {
  engine_.begin_list();
  engine_.end_list();
  settle();
}

const engine::PodView* Rehearsal::running_pod() const {
  for (const auto& [uid, pod] : pods_) {
    if (!is_terminal(pod.phase) && !pod.deletion_time) {
      return &pod;
    }
  }
  return nullptr;
}

bool Rehearsal::wait_for_pod() {
  for (int waits = 0; running_pod() == nullptr; ++waits) {
    if (verdict() != nullptr || !wake_at_ || waits == kMaxWaits) {
      return false;
    }
    now_ = std::max(now_, *wake_at_);
    settle();
  }
  return true;
}

Judgement Rehearsal::fail_pod(const Failure& failure) {
  const engine::PodView* running = running_pod();
  CHECK(running != nullptr, "a pod has to run before it can fail");
  const std::string uid = running->uid;
  last_index_ = engine::parse_index(running->completion_index);
  if (restarts_in_place(failure, subject_)) {
    restart_container(pods_.at(uid), failure, subject_);
    observe(uid);
    settle();
    return {};
  }
  if (is_deleted_first(failure.cause)) {
    begin_deletion(pods_.at(uid), failure, subject_, now_);
    observe(uid);
    settle();
  }
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) {
    return {};  // it was counted, and gone, before it could show any more
  }
  end_pod(pod->second, failure, subject_, now_);
  const engine::PodView seen = pod->second;
  observe(uid);
  Judgement judgement;
  if (const engine::Slot slot = engine_.state().find(uid); slot != engine::kNoSlot) {
    judgement.action = engine_.state().pods().at(slot).action;
  }
  if (judgement.action != engine::Action::none) {
    const engine::RuleMatch match = engine::judge_failed_pod(subject_.job, seen, subject_.options);
    CHECK(match.action == judgement.action, "the engine judges by its failure policy");
    judgement.rule = match.rule;
  }
  settle();
  return judgement;
}

const engine::Condition* Rehearsal::verdict() const {
  for (const std::string_view type :
       {engine::kTypeFailed, engine::kTypeComplete, engine::kTypeFailureTarget,
        engine::kTypeSuccessCriteriaMet}) {
    if (const engine::Condition* condition = engine::true_condition(job_.status, type)) {
      return condition;
    }
  }
  return nullptr;
}

std::optional<Duration> Rehearsal::index_waits(int64_t index) const {
  const auto until = engine_.state().held_until(index);
  return until ? std::optional(std::max(Duration::zero(), *until - now_)) : std::nullopt;
}

engine::IndexFailures Rehearsal::index_failures(int64_t index) const {
  return engine_.state().index_failures(index);
}

void Rehearsal::settle() {
  for (int round = 0; round < kMaxRounds; ++round) {
    const engine::Decision decision = engine_.decide(now_);
    wake_at_ = decision.wake_at;
    if (!carry_out(decision)) {
      return;
    }
  }
  CHECK(false, "the engine comes to rest when nothing happens");
}

bool Rehearsal::carry_out(const engine::Decision& decision) {
  if (decision.status) {
    job_.status = decision.status->status;
    job_.record = decision.status->record.value_or(job_.record);
    job_.rv = ++revision_;
    engine_.status_written(job_);
  }
  for (const engine::CreatePod& planned : decision.creates) {
    create(planned);
  }
  for (const engine::PodWrite& planned : decision.pod_writes) {
    write(planned);
  }
  return decision.has_writes();
}

void Rehearsal::create(const engine::CreatePod& create) {
  ++serial_;
  engine::PodView pod;
  pod.uid = numbered_uid(serial_);
  pod.name = create.plan.generate_name + numbered_suffix(serial_);
  pod.created = now_;
  pod.has_finalizer = true;
  pod.rv = ++revision_;
  for (const auto& [key, value] : create.plan.annotations) {
    if (key == engine::kCompletionIndexKey) {
      pod.completion_index = value;
    } else if (key == engine::kIndexFailureCountKey) {
      pod.failure_count = value;
    } else if (key == engine::kIndexIgnoredFailureCountKey) {
      pod.ignored_failure_count = value;
    }
  }
  pods_[pod.uid] = pod;
  engine_.pod_created(create.id, pod);
}

void Rehearsal::write(const engine::PodWrite& write) {
  const auto found = pods_.find(write.uid);
  if (found == pods_.end()) {
    engine_.pod_write_failed(write.uid, engine::WriteError::not_found, "");
    return;
  }
  engine::PodView& pod = found->second;
  switch (write.op) {
    case engine::PodOp::delete_pod:
      pod.deletion_time = pod.deletion_time.value_or(now_);
      break;
    case engine::PodOp::release:
      pod.has_finalizer = false;
      break;
    case engine::PodOp::drop:
      pod.dropped = true;
      break;
  }
  pod.rv = ++revision_;
  const engine::PodView after = pod;
  engine_.pod_written(write.uid, &after);
  if (remove_if_over(write.uid)) {
    engine_.observe_pod_gone(after.uid);
  }
}

void Rehearsal::observe(const std::string& uid) {
  engine::PodView& pod = pods_.at(uid);
  pod.rv = ++revision_;
  const engine::PodView seen = pod;
  if (remove_if_over(uid)) {
    engine_.observe_pod_gone(seen.uid);
  } else {
    engine_.observe_pod(seen, now_);
  }
}

// A released pod needs not be remembered once it is over: nothing looks at it again.
bool Rehearsal::remove_if_over(const std::string& uid) {
  const engine::PodView& pod = pods_.at(uid);
  const bool over = is_terminal(pod.phase) || (pod.deletion_time && !pod.has_node);
  if (pod.has_finalizer || !over) {
    return false;
  }
  pods_.erase(uid);
  return true;
}

}  // namespace windlass::policy
