#include "verify/engine/recount.h"

#include <algorithm>
#include <set>

#include "engine/policy/outcome.h"
#include "engine/status/conditions.h"

namespace windlass::engine {
namespace {

struct Judged {
  const PodView* pod = nullptr;
  int64_t index = kNoIndex;
  bool valid = true;  // NonIndexed, or an index in range
  bool failed = false;
  bool accounted = false;
  bool accounted_failed = false;
  RuleMatch verdict;

  bool active() const { return !is_terminal(pod->phase) && !pod->deletion_time; }
  bool ignored() const { return verdict.action == Action::ignore; }
};

class Counter {
 public:
  Counter(const Options& options, const JobView& job, const std::vector<PodView>& pods)
      : gates_(options.gates), job_(job), spec_(job.spec), status_(job.status) {
    indexed_ = spec_.mode == CompletionMode::indexed;
    per_index_ = indexed_ && spec_.backoff_limit_per_index && gates_.backoff_limit_per_index;
    bound_ = spec_.completions.value_or(0);
    for (const PodView& pod : pods) {
      judged_.push_back(judge(pod));
    }
  }

  Recount count() {
    numbers();
    indexes();
    totals();
    hold();
    index_failures();
    fail_job();
    rule_failures();
    return std::move(out_);
  }

 private:
  static bool listed(const std::vector<std::string>& uids, const std::string& uid) {
    return std::find(uids.begin(), uids.end(), uid) != uids.end();
  }

  // 0.25, 0.26, 5.7.
  bool failed(const PodView& pod) const {
    const bool policy = spec_.failure_policy && gates_.pod_failure_policy;
    const bool only_failed = gates_.pod_replacement_policy ? spec_.replace_only_failed : policy;
    const bool success = has_true(status_, kTypeSuccessCriteriaMet);
    const bool failing = has_true(status_, kTypeFailureTarget) && !success;
    if (pod.dropped || pod.phase == Phase::succeeded) {
      return false;
    }
    if (success && pod.deletion_time) {
      return false;
    }
    const bool while_terminating = pod.deletion_time && (failing || !only_failed);
    return pod.phase == Phase::failed || while_terminating;
  }

  Judged judge(const PodView& pod) const {
    Judged judged;
    judged.pod = &pod;
    if (indexed_) {
      judged.index = parse_index(pod.completion_index);
      judged.valid = judged.index >= 0 && judged.index < bound_;
    }
    judged.failed = failed(pod);
    const UncountedPods lists = status_.uncounted.value_or(UncountedPods());
    judged.accounted_failed = listed(lists.failed, pod.uid);
    judged.accounted = judged.accounted_failed || listed(lists.succeeded, pod.uid) ||
                       (!per_index_ && listed(parse_record(job_.record).ignored, pod.uid));
    if (spec_.failure_policy && gates_.pod_failure_policy) {
      judged.verdict = match_failure_policy(*spec_.failure_policy, pod, per_index_);
    }
    return judged;
  }

  static bool ready(const PodView& pod) {
    return std::any_of(pod.conditions.begin(), pod.conditions.end(), [](const PodCondition& c) {
      return c.type == "Ready" && c.status == ConditionStatus::is_true;
    });
  }

  bool new_failure(const Judged& judged) const {
    return judged.pod->has_finalizer && judged.failed && judged.valid && !judged.accounted &&
           !judged.ignored();
  }

  void numbers() {
    for (const Judged& judged : judged_) {
      const PodView& pod = *judged.pod;
      const bool terminal = is_terminal(pod.phase);
      out_.tally.active += judged.active() ? 1 : 0;
      out_.tally.ready += judged.active() && ready(pod) ? 1 : 0;
      out_.tally.terminating += !terminal && pod.deletion_time ? 1 : 0;
      out_.tally.tracked += pod.has_finalizer ? 1 : 0;
      const bool success = pod.phase == Phase::succeeded && pod.has_finalizer;
      const bool new_success = !indexed_ && success && !judged.accounted;
      out_.tally.new_succeeded += new_success ? 1 : 0;
      out_.tally.new_taken += new_success && pod.dropped ? 1 : 0;
      out_.tally.new_failed += new_failure(judged) ? 1 : 0;
      const bool runs = pod.phase == Phase::running || pod.phase == Phase::pending;
      for (const ContainerView& container : pod.containers) {
        const bool counts = spec_.restart_on_failure && runs && !pod.dropped;
        out_.tally.restarts += counts ? std::max(container.restarts, 0) : 0;
      }
    }
  }

  void indexes() {
    if (!indexed_) {
      return;
    }
    // 12.2: by the annotation until a status is stored.
    const bool begins = status_ == JobStatus() && job_.completed_at_start && is_exact();
    completed_ = IndexBits::parse(
        begins ? *job_.completed_at_start : status_.completed_indexes.str(), bound_);
    const IndexBits stored_failed =
        IndexBits::parse(per_index_ ? status_.failed_indexes.value_or("") : "", bound_);
    for (const Judged& judged : judged_) {
      if (judged.pod->phase == Phase::succeeded && judged.pod->has_finalizer && judged.valid &&
          !judged.accounted_failed && !stored_failed.contains(judged.index)) {
        completed_.insert(judged.index);
      }
    }
    failed_ = stored_failed;
    const bool failing =
        has_true(status_, kTypeFailureTarget) && !has_true(status_, kTypeSuccessCriteriaMet);
    for (const Judged& judged : judged_) {
      if (failing && judged.pod->deletion_time) {
        continue;
      }
      const bool ends = judged.verdict.action == Action::fail_index ||
                        parse_failure_count(judged.pod->failure_count) >=
                            spec_.backoff_limit_per_index.value_or(0);
      if (per_index_ && new_failure(judged) && ends && !completed_.contains(judged.index)) {
        failed_.insert(judged.index);
      }
    }
    out_.completed_indexes = completed_.text();
    out_.failed_indexes = failed_.text();
  }

  bool is_exact() const {
    const std::string& text = *job_.completed_at_start;
    return !text.empty() && IndexBits::parse(text, bound_).text() == text;
  }

  void totals() {
    const UncountedPods lists = status_.uncounted.value_or(UncountedPods());
    const auto length = [](const auto& list) { return static_cast<int64_t>(list.size()); };
    out_.succeeded = indexed_
                         ? completed_.size()
                         : status_.succeeded + length(lists.succeeded) + out_.tally.new_succeeded;
    out_.failed = status_.failed + length(lists.failed) + out_.tally.new_failed;
    const int64_t taken = parse_record(job_.record).baseline + out_.tally.new_taken;
    out_.succeeded_since_resume = std::max<int64_t>(0, out_.succeeded - taken);
  }

  bool over() const {
    return is_finished(status_) || has_true(status_, kTypeFailureTarget) ||
           has_true(status_, kTypeSuccessCriteriaMet) || job_.deleting;
  }

  // 5.21, with a total order.
  void hold() {
    if (!per_index_ || over()) {
      return;
    }
    std::set<int64_t> taken;
    for (const Judged& judged : judged_) {
      if (judged.active()) {
        taken.insert(judged.index);
      }
    }
    std::map<int64_t, const PodView*> best;
    const auto weight = [](const PodView& pod) {
      const int64_t count = int64_t{parse_failure_count(pod.failure_count)} +
                            parse_failure_count(pod.ignored_failure_count);
      return std::tuple(count, finish_time(pod), pod.uid);
    };
    for (const Judged& judged : judged_) {
      const bool candidate = judged.pod->has_finalizer && judged.failed && judged.valid &&
                             !judged.accounted && !taken.contains(judged.index) &&
                             !completed_.contains(judged.index) && !failed_.contains(judged.index);
      if (!candidate) {
        continue;
      }
      const PodView*& kept = best[judged.index];
      if (kept == nullptr || weight(*kept) < weight(*judged.pod)) {
        kept = judged.pod;
      }
    }
    for (const auto& [index, pod] : best) {
      out_.held[index] = pod->uid;
    }
  }

  // KEP-3850: from the annotations of pods, and for pods that are gone from the Job's.
  void index_failures() {
    if (!per_index_ || over()) {
      return;
    }
    const IndexCounts stored = parse_record(job_.record).counts;
    for (const auto& [index, entry] : stored.entries()) {
      if (index < bound_ && !completed_.contains(index) && !failed_.contains(index)) {
        IndexFailures known = entry.failures;
        known.counted = std::min(known.counted, *spec_.backoff_limit_per_index);
        out_.index_failures[index] = {known, known};
      }
    }
    for (const Judged& judged : judged_) {
      const PodView& pod = *judged.pod;
      if (!judged.valid || completed_.contains(judged.index) || failed_.contains(judged.index)) {
        continue;
      }
      IndexFailures shown{parse_failure_count(pod.failure_count),
                          parse_failure_count(pod.ignored_failure_count)};
      if (judged.failed && pod.has_finalizer) {
        (judged.ignored() ? shown.ignored : shown.counted) += 1;
      }
      auto& [least, most] = out_.index_failures[judged.index];
      const auto held = out_.held.find(judged.index);
      if (held != out_.held.end() && held->second == pod.uid) {
        least = {std::max(least.counted, shown.counted), std::max(least.ignored, shown.ignored)};
      }
      most = {std::max(most.counted, shown.counted), std::max(most.ignored, shown.ignored)};
    }
  }

  void fail_job() {
    const Judged* first = nullptr;
    const auto order = [](const Judged& judged) {
      return std::tuple(finish_time(*judged.pod), judged.index, judged.pod->uid);
    };
    for (const Judged& judged : judged_) {
      if (judged.pod->has_finalizer && judged.failed && judged.verdict.action == Action::fail_job &&
          (first == nullptr || order(judged) < order(*first))) {
        first = &judged;
      }
    }
    if (first != nullptr) {
      out_.fail_job_message =
          failure_message(first->verdict, job_.namespace_name, first->pod->name);
    }
  }

  void rule_failures() {
    for (const auto& [rule, known] : parse_record(job_.record).rules) {
      out_.rule_failures[rule] = known.failures;
    }
    if (per_index_ || over()) {
      return;
    }
    for (const Judged& judged : judged_) {
      const bool ended = !judged.ignored() || is_terminal(judged.pod->phase);
      const bool fresh =
          judged.failed && judged.valid && !judged.accounted && ended && judged.pod->has_finalizer;
      const Action action = judged.verdict.action;
      const bool again = action == Action::count || action == Action::ignore;
      if (fresh && again &&
          (*spec_.failure_policy)[static_cast<size_t>(judged.verdict.rule)].limits) {
        ++out_.rule_failures[judged.verdict.rule];
      }
    }
  }

  const Gates& gates_;
  const JobView& job_;
  const JobSpec& spec_;
  const JobStatus& status_;
  bool indexed_ = false;
  bool per_index_ = false;
  int64_t bound_ = 0;
  std::vector<Judged> judged_;
  IndexBits completed_;
  IndexBits failed_;
  Recount out_;
};

class Comparison {
 public:
  void number(const char* what, int64_t state, int64_t oracle) {
    text(what, std::to_string(state), std::to_string(oracle));
  }
  void within(const char* what, int64_t state, int64_t least, int64_t most) {
    number(what, state, std::clamp(state, least, most));
  }
  void text(const char* what, const std::string& state, const std::string& oracle) {
    if (state != oracle) {
      lines_.push_back(std::string(what) + ": " + state + ", recount says " + oracle);
    }
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

}  // namespace

Recount recount(const Options& options, const JobView& job, const std::vector<PodView>& pods) {
  return Counter(options, job, pods).count();
}

std::vector<std::string> differences(const State& state, const Recount& oracle, bool remembers) {
  Comparison compare;
  compare.number("active", state.tally().active, oracle.tally.active);
  compare.number("ready", state.tally().ready, oracle.tally.ready);
  compare.number("terminating", state.tally().terminating, oracle.tally.terminating);
  compare.number("tracked", state.tally().tracked, oracle.tally.tracked);
  compare.number("new succeeded", state.tally().new_succeeded, oracle.tally.new_succeeded);
  compare.number("new taken", state.tally().new_taken, oracle.tally.new_taken);
  compare.number("new failed", state.tally().new_failed, oracle.tally.new_failed);
  compare.number("restarts", state.tally().restarts, oracle.tally.restarts);
  if (!remembers && !state.facts().finished) {
    compare.number("succeeded", state.succeeded(), oracle.succeeded);
    compare.number("failed", state.failed(), oracle.failed);
    if (!state.facts().indexed) {
      compare.number("succeeded since resume", state.succeeded_since_resume(),
                     oracle.succeeded_since_resume);
    }
    compare.text("completed indexes", state.indexes().completed.found().text(),
                 oracle.completed_indexes);
    compare.text("failed indexes", state.indexes().failed.found().text(), oracle.failed_indexes);
    for (const auto& [index, uid] : oracle.held) {
      const Slot held = held_pod(state.pods(), static_cast<int32_t>(index));
      compare.text("held pod", held == kNoSlot ? "none" : state.uid_text(held), uid);
    }
    for (const auto& [index, range] : oracle.index_failures) {
      const IndexFailures known = state.index_failures(index);
      compare.within("failures of an index", known.counted, range.first.counted,
                     range.second.counted);
      compare.within("ignored failures of an index", known.ignored, range.first.ignored,
                     range.second.ignored);
    }
  }
  if (!remembers && !state.facts().decided() && !state.facts().deleting) {
    const RuleUsage usage = rule_usage(state);
    for (const auto& [rule, failures] : oracle.rule_failures) {
      const auto known = usage.ledger.find(rule);
      compare.number("failures of a rule", known == usage.ledger.end() ? 0 : known->second.failures,
                     failures);
    }
  }
  if (!oracle.fail_job_message.empty() && !remembers && !state.facts().decided()) {
    compare.text("FailJob", state.fail_job() ? state.fail_job()->message : "none",
                 oracle.fail_job_message);
  }
  return compare.take();
}

}  // namespace windlass::engine
