#include "explorer/checks.h"

#include <algorithm>
#include <array>
#include <map>

#include "job/conditions.h"
#include "job/index_bits.h"
#include "job/recount.h"

namespace windlass::explorer {
namespace {

using job::UncountedPods;
using Strings = std::vector<std::string>;

bool is_decided(const job::JobStatus& status) {
  return job::has_true(status, job::kTypeFailureTarget) ||
         job::has_true(status, job::kTypeSuccessCriteriaMet) || job::is_finished(status);
}

// B1: 10 s, 20 s, 40 s ... 10 min, worked out the plain way.
Duration delay_after(int64_t failures) {
  Duration delay = seconds(10);
  for (int64_t i = 1; i < failures; ++i) {
    delay = std::min<Duration>(delay * 2, minutes(10));
  }
  return failures == 0 ? Duration::zero() : delay;
}

// Everything that the controller was told has ended, in the store or not.
std::vector<Ended> told_endings(const World& world) {
  std::vector<Ended> endings = world.ended;
  for (const Pod& pod : world.pods) {
    if (pod.told != Told::nothing) {
      endings.push_back(
          {pod.index, pod.told, pod.told_fail_index, pod.told_finished, pod.forgotten});
    }
  }
  return endings;
}

class CreateChecks {
 public:
  CreateChecks(const World& world, const job::Decision& decision)
      : world_(world), decision_(decision), endings_(told_endings(world)) {}

  Strings broken() {
    for (const job::CreatePod& create : decision_.creates) {
      if (world_.is_per_index()) {
        index_backoff(create.plan);
      }
      lowest_first(create.plan.index);
    }
    if (!decision_.creates.empty()) {
      if (!world_.is_per_index()) {
        job_backoff();
      }
      deadline();
    }
    return std::move(broken_);
  }

 private:
  void require(bool holds, const char* what) {
    if (!holds) {
      broken_.emplace_back(what);
    }
  }

  void job_backoff() {
    Time last_success;
    for (const Ended& ended : endings_) {
      last_success =
          ended.told == Told::succeeded ? std::max(last_success, ended.finished) : last_success;
    }
    int64_t failures = 0;
    Time last_failure;
    for (const Ended& ended : endings_) {
      if (ended.told != Told::succeeded && ended.finished > last_success) {
        ++failures;
        last_failure = std::max(last_failure, ended.finished);
      }
    }
    require(failures == 0 || world_.now >= last_failure + delay_after(failures),
            "B1: a pod is created before the back-off is over");
  }

  void index_backoff(const job::PodPlan& plan) {
    int32_t counted = 0;
    int32_t ignored = 0;
    job::IndexFailures forgotten;
    bool fail_index = false;
    Time last;
    for (const Ended& ended : endings_) {
      if (ended.index != plan.index || ended.told == Told::succeeded) {
        continue;
      }
      const bool counts = ended.told == Told::failed;
      if (ended.forgotten) {
        ++(counts ? forgotten.counted : forgotten.ignored);
        continue;
      }
      ++(counts ? counted : ignored);
      fail_index = fail_index || ended.fail_index;
      last = std::max(last, ended.finished);
    }
    require(counted + ignored == 0 || world_.now >= last + delay_after(counted + ignored),
            "B2: a pod is created before the back-off of its index is over");
    require(!fail_index, "P4: a pod for an index that a rule has failed");
    require(counted <= *world_.config->job.spec.backoff_limit_per_index,
            "B5: a pod for an index beyond its limit");
    const std::map<std::string, std::string> annotations(plan.annotations.begin(),
                                                         plan.annotations.end());
    const auto between = [&](std::string_view key, int32_t least, int32_t most) {
      const auto found = annotations.find(std::string(key));
      const int32_t value =
          found == annotations.end() ? 0 : job::parse_failure_count(found->second);
      return value >= least && value <= most;
    };
    require(between(job::kIndexFailureCountKey, counted, counted + forgotten.counted),
            "B3: the new pod carries a wrong failure count");
    require(between(job::kIndexIgnoredFailureCountKey, ignored, ignored + forgotten.ignored),
            "B3: the new pod carries a wrong count of ignored failures");
  }

  // A4, of indexes that never had a pod: nothing can stand in their way.
  void lowest_first(int64_t index) {
    for (int64_t lower = 0; lower < index; ++lower) {
      const auto of_lower = [lower](const auto& item) { return item.index == lower; };
      const bool known =
          std::any_of(world_.pods.begin(), world_.pods.end(), of_lower) ||
          std::any_of(world_.ended.begin(), world_.ended.end(), of_lower) ||
          (world_.witnessed >> lower & 1) != 0 ||
          std::any_of(decision_.creates.begin(), decision_.creates.end(),
                      [lower](const job::CreatePod& create) { return create.plan.index == lower; });
      const bool stored =
          job::IndexBits::parse(world_.job->status.failed_indexes.value_or(""), lower + 1)
              .contains(lower);
      require(known || stored || world_.robbed, "A4: a lower index waits");
    }
  }

  void deadline() {
    const job::JobView& job = world_.engine.state().job();
    const auto& seconds_allowed = job.spec.active_deadline_seconds;
    require(!seconds_allowed || !job.status.start_time ||
                world_.now < *job.status.start_time + seconds(*seconds_allowed),
            "D1: a pod is created after the deadline");
  }

  const World& world_;
  const job::Decision& decision_;
  std::vector<Ended> endings_;
  Strings broken_;
};

bool is_synced(const World& world) {
  return world.writes.empty() && world.unseen_job.empty() &&
         world.engine.state().job().rv == world.job->rv &&
         std::all_of(world.pods.begin(), world.pods.end(), [](const Pod& pod) {
           return pod.unseen.empty() && (pod.told_rv == pod.now.rv || !pod.in_store());
         });
}

// The incremental state equals the recount when the engine has seen everything.
void compare_with_recount(const World& world, Strings& broken) {
  if (!is_synced(world)) {
    return;
  }
  std::vector<job::PodView> pods;
  for (auto& [name, pod] : stored_pods(world)) {
    pods.push_back(pod);
  }
  const job::Recount oracle = job::recount(world.config->options, *world.job, pods);
  for (const std::string& line :
       job::differences(world.engine.state(), oracle,
                        world.robbed || world.robbed_failures > 0 || world.robbed_successes > 0)) {
    broken.push_back("recount: " + line);
  }
}

void check_bounds(const World& world, const job::Decision& decision, Strings& broken) {
  const auto most = static_cast<size_t>(world.config->options.max_pod_writes);
  std::array<size_t, 3> of_kind = {};
  for (const job::PodWrite& write : decision.pod_writes) {
    ++of_kind[static_cast<size_t>(write.op)];
    if (pod_serial(write.uid) == 0 || pod_serial(write.uid) >= world.next_serial) {
      broken.emplace_back("O1: a write of a pod that is not the Job's");
    }
  }
  if (decision.creates.size() > most || *std::max_element(of_kind.begin(), of_kind.end()) > most) {
    broken.emplace_back("A8: too many writes at once");
  }
  const std::string& manager = world.config->job.spec.managed_by;
  if (!manager.empty() && manager != world.config->options.manager && decision.has_writes()) {
    broken.emplace_back("O3: a write for another's Job");
  }
}

}  // namespace

std::vector<std::string> check_decision(World& world, const job::Decision& decision) {
  Strings broken;
  if (!decision.has_writes() && !decision.refresh_job && !decision.relist_pods) {
    compare_with_recount(world, broken);
  }
  check_bounds(world, decision, broken);
  if (decision.status && decision.status->base_rv == world.job->rv) {
    for (std::string& line : job::testing::check_decided(*world.job, decision)) {
      broken.push_back(std::move(line));
    }
  }
  for (const job::MetricDelta& delta : decision.metrics) {
    if (delta.metric == job::Metric::jobs_finished && ++world.finished_told > 1) {
      broken.emplace_back("T8: the end of the Job is told twice");
    }
  }
  const bool elastic = std::find(world.config->edits.begin(), world.config->edits.end(),
                                 Edit::completions) != world.config->edits.end();
  if (!world.robbed && (!elastic || world.is_per_index())) {
    for (std::string& line : CreateChecks(world, decision).broken()) {
      broken.push_back(std::move(line));
    }
  }
  if (decision.status && decision.status->base_rv == world.job->rv) {
    for (std::string& line : check_drafted_status(world, decision.status->status)) {
      broken.push_back(std::move(line));
    }
  }
  return broken;
}

std::vector<std::string> check_created(const World& world, const Write& write) {
  job::JobView known = *world.job;
  // A5, A6: what the user has asked for since the decision cannot be known to it.
  known.spec = write.decided_on->spec;
  known.deleting = write.decided_on->deleting;
  const job::testing::Pods pods = stored_pods(world);
  Strings broken =
      job::testing::check_create(known, world.config->options, pods, write.create->plan);
  const auto runs = [](const auto& entry) {
    return !job::is_terminal(entry.second.phase) && !entry.second.deletion_time;
  };
  const auto active = std::count_if(pods.begin(), pods.end(), runs);
  const UncountedPods lists = known.status.uncounted.value_or(UncountedPods());
  const int64_t done = known.status.succeeded + static_cast<int64_t>(lists.succeeded.size());
  if (known.spec.completions && active + 1 > *known.spec.completions - done) {
    broken.emplace_back("A1: more active pods than completions are missing");
  }
  const int64_t failed = known.status.failed + static_cast<int64_t>(lists.failed.size());
  if (failed > known.spec.backoff_limit) {
    broken.emplace_back("B6: a pod is created beyond the back-off limit");
  }
  return broken;
}

std::vector<std::string> check_released(const World& world, const Write& write, const Pod& pod) {
  // C10 lets go of everything when the Job is deleted; what ends after SuccessCriteriaMet is
  // dropped by C1.
  if (world.job->deleting || job::has_true(world.job->status, job::kTypeSuccessCriteriaMet)) {
    return {};
  }
  job::JobView known = *world.job;
  known.spec = write.decided_on->spec;  // 3.7: an index that was out of range when it was decided
  return job::testing::check_release(known, world.config->options, pod_view(world, pod, pod.now));
}

std::vector<std::string> check_round(const World& world) {
  if (world.writes.empty()) {
    return {};
  }
  job::Engine again = world.engine;
  if (again.decide(world.now).has_writes()) {
    return {"R1: the engine decides while writes are unanswered"};
  }
  return {};
}

std::vector<std::string> check_rest(const World& world) {
  Strings broken;
  const job::JobStatus& status = world.job->status;
  const job::JobSpec& spec = world.job->spec;
  const std::string& manager = spec.managed_by;
  if (!manager.empty() && manager != world.config->options.manager) {
    return broken;
  }
  const bool finished = job::is_finished(status);
  const bool waits = spec.suspend || spec.parallelism == 0;
  if (!finished && !world.job->deleting && (!waits || is_decided(status))) {
    broken.emplace_back("L1: the Job does not end");
  }
  int64_t active = 0;
  int64_t terminating = 0;
  for (const Pod& pod : world.pods) {
    if (!pod.in_store()) {
      continue;
    }
    const bool runs = !job::is_terminal(pod.now.phase);
    active += runs && !pod.now.deleting ? 1 : 0;
    terminating += runs && pod.now.deleting ? 1 : 0;
    if (runs && spec.mode == job::CompletionMode::indexed && pod.index >= *spec.completions &&
        !world.job->deleting) {
      broken.emplace_back("A7: a pod of an index beyond the completions runs on");
    }
    if (pod.now.has_finalizer && (finished || world.job->deleting)) {
      broken.emplace_back("F5: pod " + std::to_string(pod.serial) + " keeps its finalizer");
    }
  }
  if (status.active != active || status.terminating.value_or(0) != terminating) {
    broken.emplace_back("C7: the numbers of pods are wrong at rest");
  }
  if (spec.suspend && active > 0 && !world.job->deleting) {
    broken.emplace_back("A5: pods run while the Job is suspended");
  }
  if (world.engine.busy() || (world.wake_at && *world.wake_at > world.now)) {
    broken.emplace_back("L2: the engine is not at rest");
  }
  job::Engine later = world.engine;
  if (later.decide(world.now + hours(24)).has_writes()) {
    broken.emplace_back("L2: a Job at rest is written");
  }
  return broken;
}

void note_robbed(World& world, Pod& pod) {
  pod.robbed = world.robbed = true;
  ++world.robbed_failures;
  ++world.robbed_successes;
}

void note_released(World& world, const Write& write, Pod& pod) {
  // Pods of a deleted Job, and of an index out of range, are let go as they are. An end that the
  // engine hears of meanwhile may still be counted, once.
  const job::JobView& known = *write.decided_on;
  const bool out_of_range =
      pod.index >= 0 && known.spec.completions && pod.index >= *known.spec.completions;
  if ((known.deleting || out_of_range) && !pod.listed_failed && !pod.listed_succeeded) {
    ++world.robbed_failures;
    ++world.robbed_successes;
  }
  if (!world.is_per_index() || !out_of_range || pod.listed_failed) {
    return;
  }
  pod.settled = true;
  pod.told = write.told;
  pod.told_finished = write.told_finished;
  pod.told_fail_index = write.told_fail_index;
  const int32_t limit = *world.config->job.spec.backoff_limit_per_index;
  const bool failed = pod.told == Told::failed && pod.failures.value_or(0) >= limit;
  if (pod.told == Told::succeeded || pod.told_fail_index || failed) {
    forget_index(world, pod.index);
  }
}

void note_cut(World& world, const job::JobStatus& next) {
  const auto are_over = [](const job::JobStatus& status, int64_t index) {
    return job::IndexBits::parse(status.completed_indexes, index + 1).contains(index) ||
           job::IndexBits::parse(status.failed_indexes.value_or(""), index + 1).contains(index);
  };
  for (int64_t i = 0; world.is_per_index() && i < *world.config->job.spec.completions; ++i) {
    if (are_over(world.job->status, i) && !are_over(next, i)) {
      forget_index(world, i);
    }
  }
}

}  // namespace windlass::explorer
