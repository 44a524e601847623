#include "controllers/job/attempt_verdict.h"

#include "engine/policy/failure_policy.h"

namespace windlass::controllers::job {

AttemptVerdict attempt_verdict(engine::Counted counted, const engine::JobView& job,
                               const engine::PodView& pod, const engine::Options& options) {
  AttemptVerdict verdict;
  verdict.counted = counted;
  if (counted != engine::Counted::failed && counted != engine::Counted::ignored) {
    return verdict;
  }
  const engine::RuleMatch match = engine::judge_failed_pod(job, pod, options);
  verdict.rule = match.rule;
  verdict.action = engine::action_name(match.action);
  if (match.rule >= 0) {
    const auto& rule = (*job.spec.failure_policy)[static_cast<size_t>(match.rule)];
    verdict.rule_name = rule.name.value_or("");
  }
  if (const auto* container = engine::deciding_container(match, pod)) {
    verdict.container = container->name;
  }
  return verdict;
}

}  // namespace windlass::controllers::job
