#include "evidence/attempt_watcher.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "api/codec/wire_time.h"
#include "client/object_identity.h"
#include "controllers/job/attempt_verdict.h"
#include "engine/pods/pod_factory.h"
#include "engine/policy/backoff.h"
#include "engine/policy/failure_policy.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::evidence {
namespace {

using controllers::job::AttemptEnd;
using controllers::job::AttemptVerdict;
using engine::Counted;

int64_t index_of_pod(const engine::JobView& job, const engine::PodView& pod) {
  return job.spec.mode == engine::CompletionMode::indexed
             ? engine::parse_index(pod.completion_index)
             : engine::kNoIndex;
}

engine::PodView read_tracked(const api::Message& pod) {
  return controllers::job::read_pod(pod, engine::kTrackingFinalizer);
}

bool has_failed_index(const engine::JobView& job, int64_t index) {
  const auto failed =
      IndexSet::parse(job.status.failed_indexes.value_or(""), std::numeric_limits<int32_t>::max());
  return failed && failed->contains(static_cast<int32_t>(index));
}

}  // namespace

AttemptWatcher::AttemptWatcher(client::ClientEnv env, controllers::job::AttemptKeeper& attempts,
                               Options options)
    : attempts_(attempts),
      options_(std::move(options)),
      jobs_(env, {&api::kinds::job(), options_.ns, "", ""},
            [](const api::Message& job) { return CachedJob{controllers::job::read_job(job)}; }),
      pods_(env, {&api::kinds::pod(), options_.ns, "", ""},
            [this](const client::ObjectPtr& pod) { return project_pod(pod); }) {
  jobs_.add_handler({[this](const CachedJob& job) {
                       job_keys_[job.view.uid] =
                           client::object_key(job.view.namespace_name, job.view.name);
                     },
                     {},
                     [this](const CachedJob& job) {
                       job_keys_.erase(job.view.uid);
                       if (pods_of_.contains(job.view.uid)) {
                         gone_jobs_.emplace(job.view.uid, job.view);
                       }
                       forget_job(job.view.uid);
                     }});
  pods_.add_handler(
      {[this](const CachedPod& pod) { on_pod(nullptr, pod); },
       [this](const CachedPod& before, const CachedPod& pod) { on_pod(&before, pod); },
       [this](const CachedPod& pod) { on_gone(pod); }});
  // The rules of a Job are known before its pods are judged.
  jobs_.when_synced([this] { pods_.start(); });
  pods_.when_synced([this] { on_synced(); });
}

std::optional<AttemptWatcher::CachedPod> AttemptWatcher::project_pod(const client::ObjectPtr& pod) {
  std::string job_uid = controllers::job::owner_job_uid(*pod);
  if (job_uid.empty()) {
    return std::nullopt;
  }
  CachedPod cached{std::move(job_uid), read_tracked(*pod)};
  if (!recorded_.contains(cached.view.uid)) {
    open_[cached.view.uid] = pod;
  }
  return cached;
}

void AttemptWatcher::on_pod(const CachedPod* before, const CachedPod& pod) {
  const bool ended = engine::is_terminal(pod.view.phase);
  if (before == nullptr) {
    JobPods& pods = pods_of_[pod.job_uid];
    pods.by_index[engine::parse_index(pod.view.completion_index)].insert(
        {pod.view.created, pod.view.uid});
    pods.ended += ended ? 1 : 0;
  } else if (ended && !engine::is_terminal(before->view.phase)) {
    ++pods_of_[pod.job_uid].ended;
  }
  const auto open = open_.find(pod.view.uid);
  if (open == open_.end()) {
    return;
  }
  if (before != nullptr && before->view.has_finalizer && !pod.view.has_finalizer) {
    fates_[pod.view.uid] = ended || pod.view.deletion_time ? Fate::counted : Fate::taken_away;
  }
  if (!ended) {
    return;
  }
  if (pods_.has_synced()) {
    record(client::ObjectPtr(open->second));
  } else {
    unchecked_.push_back(open->second);
  }
}

void AttemptWatcher::on_gone(const CachedPod& pod) {
  const auto open = open_.find(pod.view.uid);
  // One that has ended and is still open waits in unchecked_.
  if (open != open_.end() && !engine::is_terminal(pod.view.phase)) {
    record(client::ObjectPtr(open->second));
  }
  open_.erase(pod.view.uid);
  recorded_.erase(pod.view.uid);
  fates_.erase(pod.view.uid);
  const auto pods = pods_of_.find(pod.job_uid);
  if (pods == pods_of_.end()) {
    return;
  }
  pods->second.ended -= engine::is_terminal(pod.view.phase) ? 1 : 0;
  const int64_t index = engine::parse_index(pod.view.completion_index);
  auto& of_index = pods->second.by_index[index];
  of_index.erase({pod.view.created, pod.view.uid});
  if (of_index.empty()) {
    pods->second.by_index.erase(index);
  }
  if (pods->second.by_index.empty()) {
    pods_of_.erase(pods);
    forget_job(pod.job_uid);
  }
}

// Attempts of a Job that is gone, with all its pods, are numbered no more.
void AttemptWatcher::forget_job(const std::string& uid) {
  if (!job_keys_.contains(uid) && !pods_of_.contains(uid)) {
    attempts_.forget_job(uid);
    gone_jobs_.erase(uid);
  }
}

// In the order in which they ended: attempts are numbered in it.
void AttemptWatcher::on_synced() {
  std::stable_sort(unchecked_.begin(), unchecked_.end(), [](const auto& a, const auto& b) {
    return engine::finish_time(read_tracked(*a)) < engine::finish_time(read_tracked(*b));
  });
  check_next();
}

void AttemptWatcher::check_next() {
  while (!unchecked_.empty()) {
    const client::ObjectPtr pod = unchecked_.front();
    unchecked_.pop_front();
    if (options_.known != nullptr && !ledger_fails_) {
      ledger::AttemptFilter filter;
      filter.pod_uid = client::uid_of(*pod);
      options_.known->find(
          filter, 1, "",
          self_.bind([pod](AttemptWatcher& self, const Result<ledger::AttemptPage>& page) {
            self.on_checked(pod, page);
          }));
      return;
    }
    record_unless_known(pod, false);
  }
}

void AttemptWatcher::on_checked(const client::ObjectPtr& pod,
                                const Result<ledger::AttemptPage>& page) {
  ledger_fails_ = !page;
  record_unless_known(pod,
                      page && !page->items.empty() && page->items.front()->phase() != "Unknown");
  check_next();
}

void AttemptWatcher::record_unless_known(const client::ObjectPtr& pod, bool known) {
  const std::string& uid = client::uid_of(*pod);
  if (recorded_.contains(uid)) {
    return;
  }
  if (!known) {
    record(pod);
  } else if (open_.erase(uid) == 1) {
    recorded_.insert(uid);
  }
}

void AttemptWatcher::record(const client::ObjectPtr& object) {
  const CachedPod pod{controllers::job::owner_job_uid(*object), read_tracked(*object)};
  const engine::JobView* job = find_job(pod.job_uid);
  if (const auto gone = gone_jobs_.find(pod.job_uid);
      job == nullptr && gone != gone_jobs_.end() && !pod.view.deletion_time) {
    job = &gone->second;  // it ended before its Job was deleted
  }
  AttemptEnd end{object, pod.view.uid, controllers::job::owner_job_name(*object), pod.job_uid,
                 attempts_before(job, pod)};
  if (job != nullptr) {
    end.verdict = judge(*job, pod);
  }
  // It may be gone by now.
  if (open_.erase(pod.view.uid) == 1) {
    recorded_.insert(pod.view.uid);
  }
  fates_.erase(pod.view.uid);
  attempts_.begin(end);
  attempts_.forget(pod.view.uid);
}

AttemptVerdict AttemptWatcher::judge(const engine::JobView& job, const CachedPod& pod) const {
  engine::RuleMatch match;
  if (pod.view.phase != engine::Phase::succeeded) {
    match = engine::judge_failed_pod(job, pod.view, options_.engine);
  }
  return controllers::job::attempt_verdict(counted_as(job, pod, match.action), job, pod.view,
                                           options_.engine);
}

Counted AttemptWatcher::counted_as(const engine::JobView& job, const CachedPod& pod,
                                   engine::Action action) const {
  const int64_t index = index_of_pod(job, pod.view);
  if (job.spec.mode == engine::CompletionMode::indexed &&
      (index == engine::kNoIndex || index >= job.spec.completions.value_or(0))) {
    return Counted::none;
  }
  if (pod.view.phase == engine::Phase::succeeded) {
    return has_failed_index(job, index) ? Counted::none : Counted::succeeded;
  }
  if (pod.view.dropped || fate_of(pod) == Fate::taken_away) {
    return Counted::none;
  }
  if (pod.view.phase != engine::Phase::failed && !pod.view.deletion_time) {
    return Counted::none;
  }
  return action == engine::Action::ignore ? Counted::ignored : Counted::failed;
}

AttemptWatcher::Fate AttemptWatcher::fate_of(const CachedPod& pod) const {
  if (const auto seen = fates_.find(pod.view.uid); seen != fates_.end()) {
    return seen->second;
  }
  if (pod.view.has_finalizer) {
    return Fate::open;
  }
  return pod.view.deletion_time ? Fate::taken_away : Fate::counted;
}

int64_t AttemptWatcher::attempts_before(const engine::JobView* job, const CachedPod& pod) const {
  const auto pods = pods_of_.find(pod.job_uid);
  if (pods == pods_of_.end()) {
    return 0;
  }
  const int64_t index = engine::parse_index(pod.view.completion_index);
  if (index != engine::kNoIndex) {
    const auto same = pods->second.by_index.find(index);
    const auto older =
        same == pods->second.by_index.end()
            ? 0
            : std::count_if(same->second.begin(), same->second.end(),
                            [&](const auto& each) { return each.first < pod.view.created; });
    return std::max<int64_t>(older,
                             engine::parse_failure_count(pod.view.failure_count) +
                                 engine::parse_failure_count(pod.view.ignored_failure_count));
  }
  if (job == nullptr) {
    return 0;
  }
  // Those that are gone; the others are numbered as they come.
  const auto& status = job->status;
  return std::max<int64_t>(0, int64_t{status.succeeded} + status.failed - pods->second.ended);
}

const engine::JobView* AttemptWatcher::find_job(const std::string& uid) const {
  const auto key = job_keys_.find(uid);
  const CachedJob* job = key == job_keys_.end() ? nullptr : jobs_.find(key->second);
  return job == nullptr || job->view.uid != uid ? nullptr : &job->view;
}

}  // namespace windlass::evidence
