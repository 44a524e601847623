#include "verify/explorer/checks.h"

#include <algorithm>
#include <array>
#include <map>

#include "engine/state/index_bits.h"
#include "engine/status/conditions.h"
#include "verify/engine/recount.h"

namespace windlass::verify::explorer {
namespace {

using engine::UncountedPods;
using Strings = std::vector<std::string>;

bool is_decided(const engine::JobStatus& status) {
  return engine::has_true(status, engine::kTypeFailureTarget) ||
         engine::has_true(status, engine::kTypeSuccessCriteriaMet) || engine::is_finished(status);
}

// B1: 10 s, 20 s, 40 s ... 10 min, worked out the plain way; a rule may have other numbers.
Duration delay_after(int64_t failures, Duration base = seconds(10), Duration cap = minutes(10)) {
  Duration delay = base;
  for (int64_t i = 1; i < failures; ++i) {
    delay = std::min<Duration>(delay * 2, cap);
  }
  return failures == 0 ? Duration::zero() : std::min(delay, cap);
}

class CreateChecks {
 public:
  CreateChecks(const ModelState& model, const engine::Decision& decision)
      : world_(model), decision_(decision), endings_(told_endings(model)) {}

  Strings broken() {
    for (const engine::CreatePod& create : decision_.creates) {
      if (world_.is_per_index()) {
        index_backoff(create.plan);
      }
      lowest_first(create.plan.index);
    }
    if (!decision_.creates.empty()) {
      if (!world_.is_per_index()) {
        job_backoff(-1, seconds(10), minutes(10));
        rule_limits();
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

  // The rule by whose own delay pods are tried again after this failure; -1: by the Job's.
  int8_t delaying_rule(const Ended& ended) const {
    const auto& rules = world_.config->job.spec.failure_policy;
    const bool own = rules && ended.rule >= 0 && (*rules)[static_cast<size_t>(ended.rule)].limits &&
                     (*rules)[static_cast<size_t>(ended.rule)].limits->backoff;
    return own ? ended.rule : int8_t{-1};
  }

  void rule_limits() {
    const std::vector<engine::FailureRule> none;
    const auto& rules = world_.config->job.spec.failure_policy.value_or(none);
    for (size_t i = 0; i < rules.size(); ++i) {
      require(!is_past_budget(world_, i, endings_),
              "B8: a pod is created beyond the budget of a rule");
      if (rules[i].limits && rules[i].limits->backoff) {
        const engine::RuleLimits::Backoff& own = *rules[i].limits->backoff;
        job_backoff(static_cast<int8_t>(i), own.base, own.cap);
      }
    }
  }

  void job_backoff(int8_t by_rule, Duration base, Duration cap) {
    Time last_success;
    for (const Ended& ended : endings_) {
      last_success = ended.told == ReportedEnd::succeeded ? std::max(last_success, ended.finished)
                                                          : last_success;
    }
    int64_t failures = 0;
    Time last_failure;
    for (const Ended& ended : endings_) {
      if (ended.told != ReportedEnd::succeeded && ended.finished > last_success &&
          delaying_rule(ended) == by_rule) {
        ++failures;
        last_failure = std::max(last_failure, ended.finished);
      }
    }
    require(failures == 0 || world_.now >= last_failure + delay_after(failures, base, cap),
            "B1: a pod is created before the back-off is over");
  }

  void index_backoff(const engine::PodPlan& plan) {
    int32_t counted = 0;
    int32_t ignored = 0;
    engine::IndexFailures forgotten;
    bool fail_index = false;
    Time last;
    for (const Ended& ended : endings_) {
      if (ended.index != plan.index || ended.told == ReportedEnd::succeeded) {
        continue;
      }
      const bool counts = ended.told == ReportedEnd::failed;
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
          found == annotations.end() ? 0 : engine::parse_failure_count(found->second);
      return value >= least && value <= most;
    };
    require(between(engine::kIndexFailureCountKey, counted, counted + forgotten.counted),
            "B3: the new pod carries a wrong failure count");
    require(between(engine::kIndexIgnoredFailureCountKey, ignored, ignored + forgotten.ignored),
            "B3: the new pod carries a wrong count of ignored failures");
  }

  // A4, of indexes that never had a pod: nothing can stand in their way.
  void lowest_first(int64_t index) {
    for (int64_t lower = 0; lower < index; ++lower) {
      const auto of_lower = [lower](const auto& item) { return item.index == lower; };
      const bool known = std::any_of(world_.pods.begin(), world_.pods.end(), of_lower) ||
                         std::any_of(world_.ended.begin(), world_.ended.end(), of_lower) ||
                         (world_.witnessed >> lower & 1) != 0 ||
                         std::any_of(decision_.creates.begin(), decision_.creates.end(),
                                     [lower](const engine::CreatePod& create) {
                                       return create.plan.index == lower;
                                     });
      const engine::JobStatus& status = world_.job->status;
      const bool stored =
          engine::IndexBits::parse(status.failed_indexes.value_or(""), lower + 1).contains(lower) ||
          engine::IndexBits::parse(status.completed_indexes, lower + 1).contains(lower);
      require(known || stored || world_.robbed, "A4: a lower index waits");
    }
  }

  void deadline() {
    const engine::JobView& job = world_.engine.state().job();
    const auto& seconds_allowed = job.spec.active_deadline_seconds;
    require(!seconds_allowed || !job.status.start_time ||
                world_.now < *job.status.start_time + seconds(*seconds_allowed),
            "D1: a pod is created after the deadline");
  }

  const ModelState& world_;
  const engine::Decision& decision_;
  std::vector<Ended> endings_;
  Strings broken_;
};

bool is_synced(const ModelState& model) {
  return model.writes.empty() && model.unseen_job.empty() &&
         model.engine.state().job().rv == model.job->rv &&
         std::all_of(model.pods.begin(), model.pods.end(), [](const Pod& pod) {
           return pod.unseen.empty() && (pod.told_rv == pod.now.rv || !pod.in_store());
         });
}

// The incremental state equals the recount when the engine has seen everything.
void compare_with_recount(const ModelState& model, Strings& broken) {
  if (!is_synced(model)) {
    return;
  }
  std::vector<engine::PodView> pods;
  for (auto& [name, pod] : stored_pods(model)) {
    pods.push_back(pod);
  }
  const engine::Recount oracle = engine::recount(model.config->options, *model.job, pods);
  for (const std::string& line : engine::differences(
           model.engine.state(), oracle,
           model.robbed || model.robbed_failures > 0 || model.robbed_successes > 0)) {
    broken.push_back("recount: " + line);
  }
}

void check_bounds(const ModelState& model, const engine::Decision& decision, Strings& broken) {
  const auto most = static_cast<size_t>(model.config->options.max_pod_writes);
  std::array<size_t, 3> of_kind = {};
  for (const engine::PodWrite& write : decision.pod_writes) {
    ++of_kind[static_cast<size_t>(write.op)];
    if (pod_serial(write.uid) == 0 || pod_serial(write.uid) >= model.next_serial) {
      broken.emplace_back("O1: a write of a pod that is not the Job's");
    }
  }
  if (decision.creates.size() > most || *std::max_element(of_kind.begin(), of_kind.end()) > most) {
    broken.emplace_back("A8: too many writes at once");
  }
  const std::string& manager = model.config->job.spec.managed_by;
  if (!manager.empty() && manager != model.config->options.manager && decision.has_writes()) {
    broken.emplace_back("O3: a write for another's Job");
  }
}

}  // namespace

std::vector<std::string> check_decision(ModelState& model, const engine::Decision& decision) {
  Strings broken;
  if (!decision.has_writes() && !decision.refresh_job && !decision.relist_pods) {
    compare_with_recount(model, broken);
  }
  check_bounds(model, decision, broken);
  if (decision.status && decision.status->base_rv == model.job->rv) {
    for (std::string& line : engine::testing::check_decided(*model.job, decision)) {
      broken.push_back(std::move(line));
    }
  }
  for (const engine::MetricDelta& delta : decision.metrics) {
    if (delta.metric == engine::Metric::jobs_finished && ++model.finished_told > 1) {
      broken.emplace_back("T8: the end of the Job is told twice");
    }
  }
  const bool elastic = std::find(model.config->edits.begin(), model.config->edits.end(),
                                 Edit::completions) != model.config->edits.end();
  if (!model.robbed && (!elastic || model.is_per_index())) {
    for (std::string& line : CreateChecks(model, decision).broken()) {
      broken.push_back(std::move(line));
    }
  }
  if (decision.status && decision.status->base_rv == model.job->rv) {
    for (std::string& line : check_drafted_status(model, decision.status->status)) {
      broken.push_back(std::move(line));
    }
  }
  return broken;
}

namespace {

// Of an Indexed Job only the indexes below its completions count, which may have become fewer since
// the status was stored (job-controller.md 3.29).
int64_t stored_successes(const engine::JobView& job) {
  if (job.spec.mode == engine::CompletionMode::indexed && job.spec.completions) {
    return engine::IndexBits::parse(job.status.completed_indexes, *job.spec.completions).size();
  }
  const UncountedPods lists = job.status.uncounted.value_or(UncountedPods());
  return job.status.succeeded + static_cast<int64_t>(lists.succeeded.size());
}

}  // namespace

std::vector<std::string> check_created(const ModelState& model, const Write& write) {
  engine::JobView known = *model.job;
  // A5, A6: what the user has asked for since the decision cannot be known to it.
  known.spec = write.decided_on->spec;
  known.deleting = write.decided_on->deleting;
  const engine::testing::Pods pods = stored_pods(model);
  Strings broken =
      engine::testing::check_create(known, model.config->options, pods, write.create->plan);
  const auto runs = [](const auto& entry) {
    return !engine::is_terminal(entry.second.phase) && !entry.second.deletion_time;
  };
  const auto active = std::count_if(pods.begin(), pods.end(), runs);
  const UncountedPods lists = known.status.uncounted.value_or(UncountedPods());
  const int64_t done = stored_successes(known);
  if (known.spec.completions && active + 1 > *known.spec.completions - done) {
    broken.emplace_back("A1: more active pods than completions are missing");
  }
  const int64_t failed = known.status.failed + static_cast<int64_t>(lists.failed.size());
  if (failed > known.spec.backoff_limit) {
    broken.emplace_back("B6: a pod is created beyond the back-off limit");
  }
  return broken;
}

std::vector<std::string> check_released(const ModelState& model, const Write& write,
                                        const Pod& pod) {
  // C10 lets go of everything when the Job is deleted; what ends after SuccessCriteriaMet is
  // dropped by C1.
  if (model.job->deleting || engine::has_true(model.job->status, engine::kTypeSuccessCriteriaMet)) {
    return {};
  }
  engine::JobView known = *model.job;
  known.spec = write.decided_on->spec;  // 3.7: an index that was out of range when it was decided
  return engine::testing::check_release(known, model.config->options,
                                        pod_view(model, pod, pod.now));
}

std::vector<std::string> check_round(const ModelState& model) {
  if (model.writes.empty()) {
    return {};
  }
  engine::Engine again = model.engine;
  if (again.decide(model.now).has_writes()) {
    return {"A9: the engine decides while writes are unanswered"};
  }
  return {};
}

std::vector<std::string> check_rest(const ModelState& model) {
  Strings broken;
  const engine::JobStatus& status = model.job->status;
  const engine::JobSpec& spec = model.job->spec;
  const std::string& manager = spec.managed_by;
  if (!manager.empty() && manager != model.config->options.manager) {
    return broken;
  }
  const bool finished = engine::is_finished(status);
  const bool waits = spec.suspend || spec.parallelism == 0;
  if (!finished && !model.job->deleting && (!waits || is_decided(status))) {
    broken.emplace_back("L1: the Job does not end");
  }
  int64_t active = 0;
  int64_t terminating = 0;
  for (const Pod& pod : model.pods) {
    if (!pod.in_store()) {
      continue;
    }
    const bool runs = !engine::is_terminal(pod.now.phase);
    active += runs && !pod.now.deleting ? 1 : 0;
    terminating += runs && pod.now.deleting ? 1 : 0;
    if (runs && spec.mode == engine::CompletionMode::indexed && pod.index >= *spec.completions &&
        !model.job->deleting) {
      broken.emplace_back("A7: a pod of an index beyond the completions runs on");
    }
    if (pod.now.has_finalizer && (finished || model.job->deleting)) {
      broken.emplace_back("F5: pod " + std::to_string(pod.serial) + " keeps its finalizer");
    }
  }
  if (status.active != active || status.terminating.value_or(0) != terminating) {
    broken.emplace_back("C7: the numbers of pods are wrong at rest");
  }
  if (spec.suspend && active > 0 && !model.job->deleting) {
    broken.emplace_back("A5: pods run while the Job is suspended");
  }
  if (model.engine.busy() || (model.wake_at && *model.wake_at > model.now)) {
    broken.emplace_back("L2: the engine is not at rest");
  }
  engine::Engine later = model.engine;
  if (later.decide(model.now + hours(24)).has_writes()) {
    broken.emplace_back("L2: a Job at rest is written");
  }
  return broken;
}

void note_robbed(ModelState& model, Pod& pod) {
  pod.robbed = model.robbed = true;
  ++model.robbed_failures;
  ++model.robbed_successes;
}

void note_released(ModelState& model, const Write& write, Pod& pod) {
  // Pods of a deleted Job, and of an index out of range, are let go as they are. An end that the
  // engine hears of meanwhile may still be counted, once.
  const engine::JobView& known = *write.decided_on;
  const bool out_of_range =
      pod.index >= 0 && known.spec.completions && pod.index >= *known.spec.completions;
  if ((known.deleting || out_of_range) && !pod.listed_failed && !pod.listed_succeeded) {
    ++model.robbed_failures;
    ++model.robbed_successes;
  }
  if (!model.is_per_index() || !out_of_range || pod.listed_failed) {
    return;
  }
  pod.settled = true;
  pod.told = write.told;
  pod.told_finished = write.told_finished;
  pod.told_fail_index = write.told_fail_index;
  const int32_t limit = *model.config->job.spec.backoff_limit_per_index;
  const bool failed = pod.told == ReportedEnd::failed && pod.failures.value_or(0) >= limit;
  if (pod.told == ReportedEnd::succeeded || pod.told_fail_index || failed) {
    forget_index(model, pod.index);
  }
}

void note_cut(ModelState& model, const engine::JobStatus& next) {
  const auto are_over = [](const engine::JobStatus& status, int64_t index) {
    return engine::IndexBits::parse(status.completed_indexes, index + 1).contains(index) ||
           engine::IndexBits::parse(status.failed_indexes.value_or(""), index + 1).contains(index);
  };
  for (int64_t i = 0; model.is_per_index() && i < *model.config->job.spec.completions; ++i) {
    if (are_over(model.job->status, i) && !are_over(next, i)) {
      forget_index(model, i);
    }
  }
}

}  // namespace windlass::verify::explorer
