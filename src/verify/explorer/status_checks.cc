// The invariants about what a status says.
#include <algorithm>
#include <string>

#include "base/time.h"
#include "engine/state/index_bits.h"
#include "engine/status/conditions.h"
#include "verify/explorer/checks.h"

namespace windlass::verify::explorer {
namespace {

using engine::IndexBits;
using engine::UncountedPods;
using Strings = std::vector<std::string>;

bool is_listed(const Strings& uids, const std::string& uid) {
  return std::find(uids.begin(), uids.end(), uid) != uids.end();
}

Strings new_in(const Strings& next, const Strings& old) {
  Strings added;
  std::copy_if(next.begin(), next.end(), std::back_inserter(added),
               [&](const std::string& uid) { return !is_listed(old, uid); });
  return added;
}

const engine::Condition* verdict(const engine::JobStatus& status) {
  const engine::Condition* met = engine::true_condition(status, engine::kTypeSuccessCriteriaMet);
  return met != nullptr ? met : engine::true_condition(status, engine::kTypeFailureTarget);
}

bool is_policy(const std::string& reason) {
  return reason.starts_with(engine::kReasonPodFailurePolicy);
}

class Drafted {
 public:
  Drafted(const ModelState& model, const engine::JobStatus& next)
      : world_(model),
        spec_(model.job->spec),
        old_(model.job->status),
        next_(next),
        lists_(next.uncounted.value_or(UncountedPods())),
        bound_(spec_.completions.value_or(0)),
        completed_(IndexBits::parse(next.completed_indexes, bound_)),
        failed_(IndexBits::parse(next.failed_indexes.value_or(""), bound_)) {}

  Strings broken() {
    indexes();
    beyond();
    const engine::Condition* before = verdict(old_);
    const engine::Condition* after = verdict(next_);
    if (before != nullptr) {
      kept(*before);
    } else if (after != nullptr) {
      decided(*after);
    } else {
      undecided();
    }
    return std::move(broken_);
  }

 private:
  void require(bool holds, const std::string& what) {
    if (!holds) {
      broken_.push_back(what);
    }
  }

  // C6, B5: every index that is over has its witness. Of those that the Job starts with (12.2) the
  // first status is.
  void indexes() {
    const IndexBits was_failed = IndexBits::parse(old_.failed_indexes.value_or(""), bound_);
    const bool begins = old_ == engine::JobStatus();
    const IndexBits was_completed = IndexBits::parse(
        begins ? world_.job->completed_at_start.value_or("") : old_.completed_indexes.str(),
        bound_);
    for (int64_t i = 0; i < bound_; ++i) {
      require(
          !completed_.contains(i) || was_completed.contains(i) || (world_.witnessed >> i & 1) != 0,
          "C6: index " + std::to_string(i) + " is completed without a success");
      if (failed_.contains(i) && !was_failed.contains(i) && !world_.robbed) {
        failed_index(i);
      }
    }
  }

  // A7: what scaling down leaves beyond the completions is removed, not counted.
  void beyond() {
    const UncountedPods was = old_.uncounted.value_or(UncountedPods());
    for (const std::string& uid : new_in(lists_.failed, was.failed)) {
      const Pod* pod = world_.find(pod_serial(uid));
      require(
          pod == nullptr || pod->index < bound_ || spec_.mode != engine::CompletionMode::indexed,
          "A7: the failure of an index beyond the completions is counted");
    }
  }

  void failed_index(int64_t index) {
    int32_t counted = 0;
    bool by_rule = false;
    const auto add = [&](int64_t of, ReportedEnd told, bool fail_index) {
      counted += of == index && told == ReportedEnd::failed ? 1 : 0;
      by_rule = by_rule || (of == index && fail_index);
    };
    for (const Ended& ended : world_.ended) {
      add(ended.index, ended.told, ended.fail_index);
    }
    for (const Pod& pod : world_.pods) {
      add(pod.index, pod.told, pod.told_fail_index);
    }
    require(by_rule || counted > spec_.backoff_limit_per_index.value_or(0),
            "B5: index " + std::to_string(index) + " fails before its limit");
  }

  // T2: a verdict stays as it is, and the end carries it on.
  void kept(const engine::Condition& before) {
    const engine::Condition* now = engine::true_condition(next_, before.type);
    require(now != nullptr && now->reason == before.reason && now->message == before.message,
            "T2: the verdict changes");
    for (const std::string_view end : {engine::kTypeFailed, engine::kTypeComplete}) {
      const engine::Condition* terminal = engine::true_condition(next_, end);
      require(terminal == nullptr ||
                  (terminal->reason == before.reason && terminal->message == before.message),
              "T2: the end differs from the verdict");
    }
  }

  // Grounds for a verdict that the engine was told of, strongest first (T7).
  bool is_told_fail_job() const {
    return !world_.robbed &&
           std::any_of(world_.pods.begin(), world_.pods.end(),
                       [](const Pod& pod) { return pod.told_fail_job && !pod.now.dropped; });
  }
  bool is_past_backoff_limit() const {
    return next_.failed + static_cast<int64_t>(lists_.failed.size()) > spec_.backoff_limit;
  }
  bool is_past_deadline() const {
    return spec_.active_deadline_seconds && old_.start_time && !spec_.suspend &&
           !engine::has_true(old_, engine::kTypeSuspended) &&
           world_.now >= latest_instant(*old_.start_time) + seconds(*spec_.active_deadline_seconds);
  }
  bool has_too_many_failed() const {
    return spec_.max_failed_indexes && failed_.size() > *spec_.max_failed_indexes;
  }
  // Of a rule, or of any.
  bool is_past_rule_budget(std::optional<size_t> only = std::nullopt) const {
    const size_t rules = spec_.failure_policy ? spec_.failure_policy->size() : 0;
    const std::vector<Ended> endings = told_endings(world_);
    for (size_t i = 0; i < rules && !world_.robbed; ++i) {
      if ((!only || *only == i) && is_past_budget(world_, i, endings)) {
        return true;
      }
    }
    return false;
  }
  bool has_failed_indexes() const {
    return !failed_.empty() && failed_.size() + completed_.size() >= bound_;
  }
  bool has_completions() const {
    const bool indexed = spec_.mode == engine::CompletionMode::indexed;
    const int64_t succeeded = indexed
                                  ? completed_.size()
                                  : next_.succeeded + static_cast<int64_t>(lists_.succeeded.size());
    return spec_.completions && succeeded >= *spec_.completions;
  }

  // What finds no room in the lists has to wait.
  bool is_full() const {
    return lists_.succeeded.size() + lists_.failed.size() >=
           static_cast<size_t>(world_.config->options.max_uncounted);
  }
  bool forgets_failure() const {
    return std::any_of(world_.pods.begin(), world_.pods.end(), [this](const Pod& pod) {
      const bool beyond = spec_.mode == engine::CompletionMode::indexed && pod.index >= bound_;
      return pod.told == ReportedEnd::failed && pod.now.has_finalizer && !pod.listed_failed &&
             !beyond && !is_listed(lists_.failed, pod_uid(pod.serial));
    });
  }

  void undecided() {
    require(!is_told_fail_job(), "P6: a FailJob match is not stored at once");
    require(!is_past_backoff_limit(), "B6: the back-off limit is passed without a verdict");
    require(!is_past_rule_budget(), "B8: a rule's budget is exceeded without a verdict");
    require(!is_past_deadline(), "D1: the deadline is passed without a verdict");
    require(!has_too_many_failed(), "B7: too many failed indexes without a verdict");
    require(!has_failed_indexes(), "B7: all indexes are over without a verdict");
    require(!has_completions() || is_full(), "L1: the completions are reached without a verdict");
  }

  void decided(const engine::Condition& made) {
    const std::string& reason = made.reason;
    if (is_policy(reason)) {
      return fail_job(made);
    }
    require(!is_told_fail_job(), "T7: " + reason + " instead of the FailJob match");
    if (reason == engine::kReasonBackoffLimit) {
      return backoff_limit();
    }
    require(!is_past_backoff_limit(), "T7: " + reason + " instead of BackoffLimitExceeded");
    if (reason.starts_with(engine::kReasonRuleBudget)) {
      const size_t rule = std::stoul(reason.substr(engine::kReasonRuleBudget.size() + 1));
      return require(is_past_rule_budget(rule), "B8: " + reason + " with too few failures");
    }
    require(!is_past_rule_budget(), "T7: " + reason + " instead of RuleBudgetExceeded");
    if (reason == engine::kReasonDeadline) {
      return require(is_past_deadline(), "D1: DeadlineExceeded before the deadline");
    }
    require(!is_past_deadline(), "T7: " + reason + " instead of DeadlineExceeded");
    if (reason == engine::kReasonMaxFailedIndexes) {
      return require(has_too_many_failed(), "B7: MaxFailedIndexesExceeded without reason");
    }
    require(!has_too_many_failed(), "T7: " + reason + " instead of MaxFailedIndexesExceeded");
    if (reason == engine::kReasonFailedIndexes) {
      return require(has_failed_indexes(), "B7: FailedIndexes without reason");
    }
    require(!has_failed_indexes(), "T7: " + reason + " instead of FailedIndexes");
    require(is_full() || world_.robbed || !forgets_failure(),
            "C1: a failure that was seen is forgotten by the success");
    if (reason == engine::kReasonSuccessPolicy) {
      return success_policy();
    }
    require(reason == engine::kReasonCompletions, "T7: unknown reason " + reason);
    require(has_completions() || !spec_.completions, "C1: Complete without the completions");
    require(spec_.completions.has_value() || has_worked(),
            "C1: a work queue is complete without a success of a worker that was left to work");
  }

  bool has_worked() const {
    const UncountedPods was = old_.uncounted.value_or(UncountedPods());
    const Strings fresh = new_in(lists_.succeeded, was.succeeded);
    return world_.worked || world_.robbed || world_.robbed_successes > 0 ||
           std::any_of(fresh.begin(), fresh.end(), [this](const std::string& uid) {
             const Pod* pod = world_.find(pod_serial(uid));
             return pod != nullptr && !pod->given_up;
           });
  }

  // P7, W9: the first match by (finish time, index, UID) that the engine was told of.
  void fail_job(const engine::Condition& made) {
    const Pod* first = nullptr;
    const auto order = [](const Pod& pod) {
      return std::tuple(pod.told_finished, pod.index, pod.serial);
    };
    for (const Pod& pod : world_.pods) {
      if (pod.told_fail_job && (first == nullptr || order(pod) < order(*first))) {
        first = &pod;
      }
    }
    if (first == nullptr) {
      return require(world_.robbed, "P7: a FailJob verdict without a match");
    }
    const Match match = first_match(world_, first->now);
    const std::string pod = world_.job->namespace_name + "/" + pod_name(world_, *first);
    const std::string seen = match.by_condition
                                 ? "Pod " + pod + " has condition DisruptionTarget"
                                 : "Container main for pod " + pod + " failed with exit code " +
                                       std::to_string(first->now.exit_code);
    const std::string rule = std::to_string(match.rule);
    require(world_.robbed || made.message == seen + " matching FailJob rule at index " + rule,
            "P1: another rule or pod speaks for the Job: " + made.message);
    require(made.reason == std::string(engine::kReasonPodFailurePolicy) + "_" + rule,
            "P1: the reason names another rule: " + made.reason);
    require(made.type == engine::kTypeFailureTarget, "P6: FailJob is not a failure");
  }

  void backoff_limit() {
    int64_t told = 0;
    for (const Ended& ended : world_.ended) {
      told += ended.told == ReportedEnd::failed ? 1 : 0;
    }
    for (const Pod& pod : world_.pods) {
      told += (pod.told == ReportedEnd::failed ? 1 : 0) + pod.now.restarts;
    }
    const bool on_failure = spec_.restart_on_failure;
    require(told + (on_failure ? 1 : 0) > spec_.backoff_limit || world_.robbed,
            "B6: BackoffLimitExceeded with too few failures");
  }

  void success_policy() {
    const auto met = [&](const engine::SuccessRule& rule) {
      const IndexBits wanted =
          rule.succeeded_indexes ? IndexBits::parse(*rule.succeeded_indexes, bound_) : completed_;
      const int64_t needed = rule.succeeded_count.value_or(static_cast<int32_t>(wanted.size()));
      return !completed_.empty() && wanted.overlap(completed_) >= needed;
    };
    const auto& rules = spec_.success_policy;
    require(rules && std::any_of(rules->begin(), rules->end(), met),
            "T7: SuccessPolicy without a rule that is met");
  }

  const ModelState& world_;
  const engine::JobSpec& spec_;
  const engine::JobStatus& old_;
  const engine::JobStatus& next_;
  UncountedPods lists_;
  int64_t bound_;
  IndexBits completed_;
  IndexBits failed_;
  Strings broken_;
};

// C1, C9: who enters the lists is there, tracked, ended so, and was never in them before.
class Listed {
 public:
  Listed(const ModelState& model, const engine::JobStatus& next)
      : world_(model),
        old_(model.job->status),
        next_(next),
        was_(old_.uncounted.value_or(UncountedPods())),
        is_(next.uncounted.value_or(UncountedPods())) {}

  Strings broken() {
    for (const std::string& uid : new_in(is_.failed, was_.failed)) {
      enters(uid, true);
    }
    for (const std::string& uid : new_in(is_.succeeded, was_.succeeded)) {
      enters(uid, false);
    }
    leaves();
    return std::move(broken_);
  }

 private:
  void enters(const std::string& uid, bool failed) {
    const Pod* pod = world_.find(pod_serial(uid));
    if (pod == nullptr || !(pod->now.has_finalizer || pod->robbed)) {
      if (!world_.robbed) {
        broken_.emplace_back("C9: a pod without finalizer is listed");
      }
      return;
    }
    if (pod->listed_failed || pod->listed_succeeded) {
      broken_.emplace_back("C1: a pod is listed twice");
    }
    if (!failed && pod->now.phase != engine::Phase::succeeded) {
      broken_.emplace_back("C1: a pod is listed as succeeded that is not");
    }
    if (failed && !pod->now.deleting && pod->now.phase != engine::Phase::failed) {
      broken_.emplace_back("C1: a pod is listed as failed that is not");
    }
    if (failed && pod->told == ReportedEnd::ignored && pod->now.phase == engine::Phase::failed) {
      broken_.emplace_back("P3: an ignored failure is counted");
    }
    if (failed && pod->given_up) {
      broken_.emplace_back("A5: the failure of a pod that the Job gave up is counted");
    }
  }

  void leaves() {
    const auto gone = [&](const Strings& from, const Strings& to) {
      int32_t count = 0;
      for (const std::string& uid : new_in(from, to)) {
        const Pod* pod = world_.find(pod_serial(uid));
        if (pod != nullptr && pod->in_store() && pod->now.has_finalizer) {
          broken_.emplace_back("C10: a pod is counted that still holds its finalizer");
        }
        ++count;
      }
      return count;
    };
    const int32_t failed = next_.failed - old_.failed - gone(was_.failed, is_.failed);
    if (failed < 0 || failed > world_.robbed_failures) {
      broken_.emplace_back("C1: failed moves by another number than the pods that were listed");
    }
    if (world_.job->spec.mode == engine::CompletionMode::indexed) {
      return;
    }
    const int32_t succeeded =
        next_.succeeded - old_.succeeded - gone(was_.succeeded, is_.succeeded);
    if (succeeded < 0 || succeeded > world_.robbed_successes) {
      broken_.emplace_back("C1: succeeded moves by another number than the pods that were listed");
    }
  }

  const ModelState& world_;
  const engine::JobStatus& old_;
  const engine::JobStatus& next_;
  UncountedPods was_;
  UncountedPods is_;
  Strings broken_;
};

}  // namespace

std::vector<std::string> check_drafted_status(const ModelState& model,
                                              const engine::JobStatus& next) {
  return Drafted(model, next).broken();
}

std::vector<std::string> check_stored_status(const ModelState& model,
                                             const engine::JobStatus& next) {
  Strings broken =
      engine::testing::check_status(*model.job, model.config->options, stored_pods(model), next);
  for (std::string& line : Listed(model, next).broken()) {
    broken.push_back(std::move(line));
  }
  return broken;
}

void note_listed(ModelState& model, const Write& write) {
  const engine::JobStatus& next = write.status->status;
  const UncountedPods lists = next.uncounted.value_or(UncountedPods());
  const engine::JobStatus& old = model.job->status;
  const UncountedPods was = old.uncounted.value_or(UncountedPods());
  for (Pod& pod : model.pods) {
    const std::string uid = pod_uid(pod.serial);
    if (!pod.listed_failed && is_listed(lists.failed, uid)) {
      pod.told = ReportedEnd::failed;  // whatever has become of it since
      for (const auto& [serial, finished] : write.drafted) {
        pod.told_finished = serial == pod.serial ? finished : pod.told_finished;
      }
    }
    model.worked =
        model.worked || (!pod.listed_succeeded && !pod.given_up && is_listed(lists.succeeded, uid));
    pod.listed_failed = pod.listed_failed || is_listed(lists.failed, uid);
    pod.listed_succeeded = pod.listed_succeeded || is_listed(lists.succeeded, uid);
  }
  if (engine::has_true(old, engine::kTypeSuspended) &&
      !engine::has_true(next, engine::kTypeSuspended)) {
    model.worked = false;
  }
  const auto spare = [](const Strings& from, const Strings& to) {
    return static_cast<int32_t>(new_in(from, to).size());
  };
  model.robbed_failures -= next.failed - old.failed - spare(was.failed, lists.failed);
  model.robbed_successes -= model.robbed_successes == 0 ? 0
                                                        : next.succeeded - old.succeeded -
                                                              spare(was.succeeded, lists.succeeded);
}

}  // namespace windlass::verify::explorer
