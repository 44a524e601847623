#include "policy/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "job/conditions.h"
#include "job/failure_policy.h"

namespace windlass::policy {
namespace {

// Any time will do; this one is in nobody's past.
constexpr int64_t kStartUnixSeconds = 1'800'000'000;

// The Job as it would run: one pod at a time, not suspended, and this program's own.
job::JobView runnable(const Subject& subject) {
  job::JobView view = subject.job;
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

const job::PodView* Rehearsal::running_pod() const {
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
  const job::PodView* running = running_pod();
  CHECK(running != nullptr, "a pod has to run before it can fail");
  const std::string uid = running->uid;
  last_index_ = job::parse_index(running->completion_index);
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
  const job::PodView seen = pod->second;
  observe(uid);
  Judgement judgement;
  if (const job::Slot slot = engine_.state().find(uid); slot != job::kNoSlot) {
    judgement.action = engine_.state().pods().at(slot).action;
  }
  if (judgement.action != job::Action::none) {
    const job::Verdict verdict =
        job::match_failure_policy(subject_.rules(), seen, subject_.per_index());
    CHECK(verdict.action == judgement.action, "the engine judges by its failure policy");
    judgement.rule = verdict.rule;
  }
  settle();
  return judgement;
}

const job::Condition* Rehearsal::verdict() const {
  for (const std::string_view type : {job::kTypeFailed, job::kTypeComplete, job::kTypeFailureTarget,
                                      job::kTypeSuccessCriteriaMet}) {
    if (const job::Condition* condition = job::true_condition(job_.status, type)) {
      return condition;
    }
  }
  return nullptr;
}

std::optional<Duration> Rehearsal::index_waits(int64_t index) const {
  const auto until = engine_.state().held_until(index);
  return until ? std::optional(std::max(Duration::zero(), *until - now_)) : std::nullopt;
}

job::IndexFailures Rehearsal::index_failures(int64_t index) const {
  return engine_.state().index_failures(index);
}

void Rehearsal::settle() {
  for (int round = 0; round < kMaxRounds; ++round) {
    const job::Decision decision = engine_.decide(now_);
    wake_at_ = decision.wake_at;
    if (!carry_out(decision)) {
      return;
    }
  }
  CHECK(false, "the engine comes to rest when nothing happens");
}

bool Rehearsal::carry_out(const job::Decision& decision) {
  if (decision.status) {
    job_.status = decision.status->status;
    job_.record = decision.status->record.value_or(job_.record);
    job_.rv = ++revision_;
    engine_.status_written(job_);
  }
  for (const job::CreatePod& planned : decision.creates) {
    create(planned);
  }
  for (const job::PodWrite& planned : decision.pod_writes) {
    write(planned);
  }
  return decision.has_writes();
}

void Rehearsal::create(const job::CreatePod& create) {
  ++serial_;
  job::PodView pod;
  pod.uid = numbered_uid(serial_);
  pod.name = create.plan.generate_name + numbered_suffix(serial_);
  pod.created = now_;
  pod.has_finalizer = true;
  pod.rv = ++revision_;
  for (const auto& [key, value] : create.plan.annotations) {
    if (key == job::kCompletionIndexKey) {
      pod.completion_index = value;
    } else if (key == job::kIndexFailureCountKey) {
      pod.failure_count = value;
    } else if (key == job::kIndexIgnoredFailureCountKey) {
      pod.ignored_failure_count = value;
    }
  }
  pods_[pod.uid] = pod;
  engine_.pod_created(create.id, pod);
}

void Rehearsal::write(const job::PodWrite& write) {
  const auto found = pods_.find(write.uid);
  if (found == pods_.end()) {
    engine_.pod_write_failed(write.uid, job::WriteError::not_found, "");
    return;
  }
  job::PodView& pod = found->second;
  switch (write.op) {
    case job::PodOp::delete_pod:
      pod.deletion_time = pod.deletion_time.value_or(now_);
      break;
    case job::PodOp::release:
      pod.has_finalizer = false;
      break;
    case job::PodOp::drop:
      pod.dropped = true;
      break;
  }
  pod.rv = ++revision_;
  const job::PodView after = pod;
  engine_.pod_written(write.uid, &after);
  if (remove_if_over(write.uid)) {
    engine_.observe_pod_gone(after.uid);
  }
}

void Rehearsal::observe(const std::string& uid) {
  job::PodView& pod = pods_.at(uid);
  pod.rv = ++revision_;
  const job::PodView seen = pod;
  if (remove_if_over(uid)) {
    engine_.observe_pod_gone(seen.uid);
  } else {
    engine_.observe_pod(seen, now_);
  }
}

// A released pod needs not be remembered once it is over: nothing looks at it again.
bool Rehearsal::remove_if_over(const std::string& uid) {
  const job::PodView& pod = pods_.at(uid);
  const bool over = is_terminal(pod.phase) || (pod.deletion_time && !pod.has_node);
  if (pod.has_finalizer || !over) {
    return false;
  }
  pods_.erase(uid);
  return true;
}

}  // namespace windlass::policy
