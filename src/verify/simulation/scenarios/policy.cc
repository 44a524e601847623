// KEP-3329 and KEP-4443: pod failure policies. KEP-3939: replacement.
#include <array>

#include "verify/simulation/scenarios/scenario.h"

namespace windlass::verify::simulation {
namespace {

constexpr auto kPolicyRows = std::to_array<ScenarioRow>({
    {"fail-job", "KEP-3329 story 1, P6: a rule fails the Job while another pod runs",
     "completions: 2, parallelism: 2, completionMode: Indexed, podFailurePolicy: {rules: "
     "[{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}",
     "0=42@3;*=0@60", "Failed PodFailurePolicy_0"},
    {"fail-job-slow-sibling", "W1: the verdict holds while a sibling ends slowly",
     "completions: 2, parallelism: 2, completionMode: Indexed, podFailurePolicy: {rules: "
     "[{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}, "
     "pod:terminationGracePeriodSeconds: 20",
     "0=42@3;*=0@60/15:0", "Failed PodFailurePolicy_0"},
    {"fail-job-of-deleted-pod", "W1: the matching pod is being deleted by a user",
     "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}",
     "0@60/2:42", "Failed PodFailurePolicy_0", "5s delete-pod j 0"},
    {"named-rule", "KEP-4443: the reason carries the name of the rule",
     "podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: In, values: [3]}}, "
     "{action: FailJob, name: Fatal, onExitCodes: {operator: In, values: [42]}}]}",
     "42@3", "Failed PodFailurePolicy_Fatal"},
    {"unnamed-second-rule", "KEP-4443: or its index",
     "podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: In, values: [3]}}, "
     "{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}",
     "42@3", "Failed PodFailurePolicy_1"},
    {"ignore-exit-code",
     "job-controller.md H107, safety.md P3: backoffLimit 0 survives ignored failures",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: In, "
     "values: [3]}}]}",
     "3@2,3@2,0@2", "Complete"},
    {"count", "job-controller.md H109: Count counts",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Count, onExitCodes: {operator: In, "
     "values: [2]}}, {action: Ignore, onExitCodes: {operator: In, values: [2, 3]}}]}",
     "2@2", "Failed BackoffLimitExceeded"},
    {"not-in", "job-controller.md H102: NotIn matches",
     "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: NotIn, values: [5, "
     "6]}}]}",
     "7@2", "Failed PodFailurePolicy_0"},
    {"not-in-spares", "job-controller.md H103: NotIn does not match",
     "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: NotIn, values: [5, "
     "6]}}]}",
     "5@2,0@2", "Complete"},
    {"ignore-disruption", "KEP-3329 story 2: evicted, ignored, replaced",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}",
     "0@30,0@3", "Complete", "5s evict-pod j 0"},
    {"fail-on-disruption", "job-controller.md H122: FailJob by a condition",
     "podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget, "
     "status: \"True\"}]}]}",
     "0@30", "Failed PodFailurePolicy_0", "5s evict-pod j 0"},
    {"fail-job-then-all-delete", "119: the pods of a decided Job are deleted by a user",
     "completions: 2, parallelism: 2, completionMode: Indexed, podFailurePolicy: {rules: "
     "[{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}",
     "0=42@3;*=0@60/8:0", "Failed PodFailurePolicy_0",
     "4s delete-pod j 0; 5s delete-ended-pods j; 6s force-delete-pod j 0"},
    {"replace-failed", "KEP-3939 story 1: no replacement while the old pod ends",
     "podReplacementPolicy: Failed", "0@30/5:143,0@3", "Complete", "5s delete-pod j 0"},
    {"replace-terminating", "KEP-3939: a replacement at once, the default", "", "0@30/5:143,0@3",
     "Complete", "5s delete-pod j 0"},
    {"replace-failed-indexed", "KEP-3939, A2: one pod per index",
     "completions: 3, parallelism: 3, completionMode: Indexed, podReplacementPolicy: Failed",
     "0=0@30/8:143,0@3;*=0@12", "Complete", "5s delete-pod j 0"},
    {"success-in-grace", "115688: a pod that is deleted exits with 0", "completions: 1",
     "0@30/3:0,0@2", "*", "5s delete-pod j 0"},
    {"ignored-success-in-grace", "115688 with a policy: it succeeded",
     "podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget, "
     "status: \"True\"}]}]}",
     "0@30/3:0,0@2", "Complete", "5s evict-pod j 0"},
    {"rule-budget",
     "job-controller.md 13.4: ignored failures end the Job beyond their budget",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, name: Spot, onExitCodes: "
     "{operator: In, values: [3]}}]}",
     "3@2,3@2,3@2,0@2",
     "Failed RuleBudgetExceeded_Spot",
     {},
     {},
     {},
     {},
     "{rules: {Spot: {budget: 2, backoff: {base: 1s, cap: 2s}}}}"},
    {"rule-budget-suffices",
     "job-controller.md 13.3: each rule waits for itself",
     "backoffLimit: 1, podFailurePolicy: {rules: [{action: Ignore, name: Spot, onExitCodes: "
     "{operator: In, values: [3]}}]}",
     "3@2,1@2,3@2,0@2",
     "Complete",
     {},
     {},
     {},
     {},
     "{rules: {Spot: {budget: 2, backoff: {base: 1s, cap: 30s}}}}"},
    {"limit-before-rule", "T7: what is stored first stays",
     "backoffLimit: 0, completions: 2, parallelism: 2, completionMode: Indexed, podFailurePolicy: "
     "{rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}",
     "0=1@3;1=0@60/2:42", "Failed BackoffLimitExceeded"},
});

}  // namespace

std::span<const ScenarioRow> policy_rows() {
  return kPolicyRows;
}

}  // namespace windlass::verify::simulation
