#include <algorithm>

#include "verify/engine/fake_cluster.h"
#include "verify/explorer/config.h"

namespace windlass::verify::explorer {
namespace {

using engine::Action;
using engine::testing::defaulted_job;
using engine::testing::indexed_job;
using engine::testing::on_codes;
using engine::testing::on_condition;
using engine::testing::set_policy;

constexpr int32_t kFailJobCode = 42;
constexpr int32_t kFailIndexCode = 43;

ExplorerConfig config(std::string name, std::string about, engine::JobView job) {
  ExplorerConfig made;
  made.name = std::move(name);
  made.about = std::move(about);
  made.job = std::move(job);
  return made;
}

engine::JobView with_limit(engine::JobView job, int32_t limit) {
  job.spec.backoff_limit = limit;
  return job;
}

engine::JobView per_index(engine::JobView job, int32_t limit) {
  job.spec.backoff_limit = 2147483647;
  job.spec.backoff_limit_per_index = limit;
  return job;
}

void add_counting(std::vector<ExplorerConfig>& all) {
  ExplorerConfig plain = config("plain", "2 completions, parallelism 2, backoffLimit 1",
                                with_limit(defaulted_job(2, 2), 1));
  plain.budget.deletions = 1;
  all.push_back(plain);

  ExplorerConfig replaced = plain;
  replaced.name = "only-failed";
  replaced.about = "the same with podReplacementPolicy Failed";
  replaced.job.spec.replace_only_failed = true;
  all.push_back(replaced);

  ExplorerConfig queue = config("work-queue", "no completions, parallelism 2, backoffLimit 1",
                                with_limit(defaulted_job(2, -1), 1));
  queue.budget.deletions = 1;
  all.push_back(queue);

  ExplorerConfig indexed = config("indexed", "3 indexes, parallelism 2, backoffLimit 2",
                                  with_limit(indexed_job(2, 3), 2));
  indexed.budget.deletions = 1;
  all.push_back(indexed);

  ExplorerConfig pending =
      config("pending", "pods are bound as a step of their own; deleted while pending",
             with_limit(defaulted_job(1, 1), 1));
  pending.starts_pending = true;
  pending.budget.deletions = 2;
  pending.budget.faults = 2;
  all.push_back(pending);

  ExplorerConfig restarts = config("on-failure", "restartPolicy OnFailure, backoffLimit 2",
                                   with_limit(defaulted_job(2, 2), 2));
  restarts.job.spec.restart_on_failure = true;
  restarts.restarts = true;
  restarts.budget.failures = 3;
  all.push_back(restarts);
}

// The last index failed once, and its pod was taken away: the record carries the count.
engine::JobView failed_before(engine::JobView job) {
  job.record = "v1;counts=1:" + std::to_string(*job.spec.completions - 1);
  job.status.failed = 1;
  return job;
}

void add_per_index(std::vector<ExplorerConfig>& all) {
  ExplorerConfig limits =
      config("per-index", "2 indexes, backoffLimitPerIndex 1", per_index(indexed_job(2, 2), 1));
  limits.budget.failures = 3;
  limits.budget.deletions = 1;
  all.push_back(limits);

  ExplorerConfig replaced = limits;
  replaced.name = "per-index-only-failed";
  replaced.about = "the same with podReplacementPolicy Failed";
  replaced.job.spec.replace_only_failed = true;
  all.push_back(replaced);

  ExplorerConfig success = limits;
  success.name = "per-index-success";
  success.about = "the same, done when index 0 has succeeded";
  success.job.spec.success_policy = {{std::string("0"), std::nullopt}};
  success.budget.failures = 1;
  all.push_back(success);

  ExplorerConfig rules =
      config("fail-index",
             "3 indexes, backoffLimitPerIndex 1, maxFailedIndexes 1; FailIndex by exit "
             "code, Ignore on DisruptionTarget",
             per_index(indexed_job(2, 3), 1));
  rules.job.spec.max_failed_indexes = 1;
  set_policy(rules.job, {on_codes(Action::fail_index, {kFailIndexCode}),
                         on_condition(Action::ignore, "DisruptionTarget")});
  rules.endings = {{1, false}, {kFailIndexCode, false}, {137, true}};
  rules.budget.failures = 2;
  all.push_back(rules);
}

// What `windlass rerun` makes.
void add_reruns(std::vector<ExplorerConfig>& all) {
  ExplorerConfig rerun =
      config("rerun", "3 indexes, 0 completed at the start; backoffLimitPerIndex 1",
             per_index(indexed_job(2, 3), 1));
  rerun.job.completed_at_start = "0";
  rerun.budget.faults = 2;
  all.push_back(rerun);

  ExplorerConfig elastic = config(
      "rerun-elastic", "2 indexes, 0 completed at the start; suspended, resumed, 2 to 1 and back",
      with_limit(indexed_job(2, 2), 1));
  elastic.job.completed_at_start = "0";
  elastic.edits = {Edit::suspend, Edit::completions};
  elastic.budget.edits = 2;
  elastic.budget.failures = 1;
  all.push_back(elastic);
}

void add_policies(std::vector<ExplorerConfig>& all) {
  ExplorerConfig verdicts =
      config("fail-job", "FailJob by exit code, Ignore on DisruptionTarget, Count",
             with_limit(defaulted_job(2, 2), 1));
  set_policy(verdicts.job,
             {on_condition(Action::ignore, "DisruptionTarget"),
              on_codes(Action::fail_job, {kFailJobCode}), on_codes(Action::count, {1})});
  verdicts.endings = {{1, false}, {kFailJobCode, false}, {137, true}};
  verdicts.endings_after_deletion = {{143, false}, {kFailJobCode, false}};
  verdicts.budget.deletions = 1;
  verdicts.evicts = true;
  all.push_back(verdicts);

  ExplorerConfig indexed = verdicts;
  indexed.name = "fail-job-indexed";
  indexed.about = "2 indexes, backoffLimitPerIndex 1; FailJob by NotIn, Ignore on DisruptionTarget";
  indexed.job = per_index(indexed_job(2, 2), 1);
  set_policy(indexed.job, {on_condition(Action::ignore, "DisruptionTarget"),
                           on_codes(Action::fail_job, {1, 143}, engine::Operator::not_in)});
  all.push_back(indexed);

  ExplorerConfig ignores =
      config("ignore", "1 completion, everything ignored but exit 1, backoffLimit 0",
             with_limit(defaulted_job(1, 1), 0));
  set_policy(ignores.job,
             {on_condition(Action::ignore, "DisruptionTarget"), on_codes(Action::ignore, {2})});
  ignores.endings = {{1, false}, {2, false}, {137, true}};
  ignores.budget.failures = 3;
  ignores.budget.faults = 2;
  all.push_back(ignores);

  ExplorerConfig success =
      config("success-policy", "3 indexes; done when index 0, or any two, have succeeded",
             with_limit(indexed_job(3, 3), 1));
  success.job.spec.success_policy = {{std::string("0"), std::nullopt}, {std::nullopt, 2}};
  success.budget.failures = 1;
  all.push_back(success);
}

engine::FailureRule limited(engine::FailureRule rule, engine::RuleLimits limits) {
  rule.limits = limits;
  return rule;
}

// Budgets and delays of rules (job-controller.md 13).
void add_rule_limits(std::vector<ExplorerConfig>& all) {
  const engine::RuleLimits::Backoff quick = {seconds(1), seconds(2)};
  ExplorerConfig budgets =
      config("rule-budget",
             "2 completions; Ignore on DisruptionTarget, once, tried again after 1 s and 2 s; "
             "Count of exit code 1, once; backoffLimit 3",
             with_limit(defaulted_job(2, 2), 3));
  set_policy(budgets.job, {limited(on_condition(Action::ignore, "DisruptionTarget"),
                                   {1, std::nullopt, false, quick}),
                           limited(on_codes(Action::count, {1}), {1, {}, false, {}})});
  budgets.endings = {{1, false}, {137, true}};
  budgets.budget.failures = 3;
  all.push_back(budgets);

  ExplorerConfig indexed = budgets;
  indexed.name = "rule-budget-indexed";
  indexed.about = "the same with 2 indexes, suspended and resumed";
  indexed.job = with_limit(indexed_job(2, 2), 3);
  indexed.job.spec.failure_policy = budgets.job.spec.failure_policy;
  indexed.job.spec.replace_only_failed = true;
  indexed.edits = {Edit::suspend};
  indexed.budget.edits = 2;
  all.push_back(indexed);

  ExplorerConfig windows = config(
      "rule-window",
      "3 completions, parallelism 2; Ignore of exit code 2, once in 8 s, tried again after 5 s; "
      "Count of exit code 1, once between successes",
      with_limit(defaulted_job(2, 3), 5));
  set_policy(windows.job,
             {limited(on_codes(Action::ignore, {2}),
                      {1, seconds(8), false, engine::RuleLimits::Backoff{seconds(5), seconds(5)}}),
              limited(on_codes(Action::count, {1}), {1, std::nullopt, true, std::nullopt})});
  windows.endings = {{1, false}, {2, false}};
  windows.budget.failures = 4;
  all.push_back(windows);
}

void add_life(std::vector<ExplorerConfig>& all) {
  ExplorerConfig suspended =
      config("suspend", "suspended and resumed, 2 indexes", with_limit(indexed_job(2, 2), 1));
  suspended.edits = {Edit::suspend};
  suspended.budget.edits = 2;
  suspended.budget.failures = 1;
  all.push_back(suspended);

  ExplorerConfig queue = config("suspend-queue", "suspended and resumed work queue",
                                with_limit(defaulted_job(2, -1), 1));
  queue.edits = {Edit::suspend};
  queue.budget.edits = 2;
  queue.budget.failures = 1;
  all.push_back(queue);

  ExplorerConfig paused = config("scale-queue", "work queue, parallelism 2 to 1, to 0 and back",
                                 with_limit(defaulted_job(2, -1), 1));
  paused.edits = {Edit::parallelism, Edit::pause};
  paused.budget.edits = 2;
  paused.budget.failures = 1;
  all.push_back(paused);

  ExplorerConfig deadline = config("deadline", "activeDeadlineSeconds 15, suspended and resumed",
                                   with_limit(defaulted_job(1, 2), 3));
  deadline.job.spec.active_deadline_seconds = 15;
  deadline.edits = {Edit::suspend};
  deadline.budget.edits = 2;
  all.push_back(deadline);

  ExplorerConfig scaled =
      config("scale", "parallelism 2 to 1 and back", with_limit(defaulted_job(2, 3), 1));
  scaled.edits = {Edit::parallelism};
  scaled.budget.edits = 2;
  scaled.budget.failures = 1;
  scaled.starts_pending = true;
  all.push_back(scaled);

  ExplorerConfig elastic = config("elastic", "completions and parallelism 2 to 1 and back",
                                  with_limit(indexed_job(2, 2), 1));
  elastic.edits = {Edit::completions};
  elastic.budget.edits = 2;
  elastic.budget.failures = 1;
  all.push_back(elastic);

  ExplorerConfig deleted =
      config("delete-job", "the Job is deleted, 2 indexes", per_index(indexed_job(2, 2), 1));
  deleted.edits = {Edit::delete_job};
  deleted.budget.edits = 1;
  deleted.budget.deletions = 1;
  all.push_back(deleted);
}

void add_carried_counts(std::vector<ExplorerConfig>& all) {
  ExplorerConfig suspended_index =
      config("suspend-per-index",
             "2 indexes, backoffLimitPerIndex 1, one has failed before; suspended and resumed",
             failed_before(per_index(indexed_job(2, 2), 1)));
  suspended_index.edits = {Edit::suspend};
  suspended_index.budget.edits = 2;
  suspended_index.budget.failures = 1;
  suspended_index.budget.delays = suspended_index.budget.stale = 0;
  all.push_back(suspended_index);

  ExplorerConfig elastic_index = suspended_index;
  elastic_index.name = "elastic-per-index";
  elastic_index.about = "the same, completions and parallelism 2 to 1 and back";
  elastic_index.edits = {Edit::completions};
  all.push_back(elastic_index);

  ExplorerConfig scaled_index = suspended_index;
  scaled_index.name = "scale-per-index";
  scaled_index.about = "the same with Ignore on DisruptionTarget, parallelism 2 to 1 and back";
  set_policy(scaled_index.job, {on_condition(Action::ignore, "DisruptionTarget")});
  scaled_index.endings = {{1, false}, {137, true}};
  scaled_index.edits = {Edit::parallelism};
  all.push_back(scaled_index);
}

void add_odd(std::vector<ExplorerConfig>& all) {
  ExplorerConfig limits =
      config("small-limits", "one uncounted pod and one write of a kind at a time",
             with_limit(indexed_job(3, 3), 1));
  limits.options.max_uncounted = 1;
  limits.options.max_pod_writes = 1;
  limits.budget.deletions = 1;
  all.push_back(limits);

  ExplorerConfig robbed =
      config("robbed", "finalizers removed by others", with_limit(defaulted_job(2, 2), 1));
  robbed.budget.robberies = 2;
  robbed.budget.deletions = 1;
  all.push_back(robbed);

  ExplorerConfig robbed_index =
      config("robbed-index", "the same with backoffLimitPerIndex", per_index(indexed_job(2, 2), 1));
  robbed_index.budget.robberies = 1;
  all.push_back(robbed_index);

  ExplorerConfig foreign = config("managed-by-another", "spec.managedBy names another controller",
                                  with_limit(defaulted_job(1, 1), 1));
  foreign.job.spec.managed_by = "example.com/another";
  foreign.edits = {Edit::suspend};
  foreign.budget.edits = 2;
  all.push_back(foreign);
}

}  // namespace

const std::vector<ExplorerConfig>& configurations() {
  static const std::vector<ExplorerConfig> all = [] {
    std::vector<ExplorerConfig> made;
    add_counting(made);
    add_per_index(made);
    add_reruns(made);
    add_policies(made);
    add_rule_limits(made);
    add_life(made);
    add_carried_counts(made);
    add_odd(made);
    return made;
  }();
  return all;
}

const ExplorerConfig* find_configuration(std::string_view name) {
  const auto& all = configurations();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [name](const ExplorerConfig& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace windlass::verify::explorer
