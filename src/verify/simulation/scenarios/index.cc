// KEP-3850: limits per index. Success policies and elastic Jobs.
#include <array>

#include "verify/simulation/scenarios/scenario.h"

namespace windlass::verify::simulation {
namespace {

constexpr auto kIndexRows = std::to_array<ScenarioRow>({
    {"indexed", "job-controller.md F66, F67",
     "completions: 4, parallelism: 2, completionMode: Indexed", "0@2", "Complete"},
    {"per-index", "KEP-3850 story 1: one bad index, the others finish",
     "completions: 4, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1",
     "1=1@1;*=0@2", "Failed FailedIndexes"},
    {"per-index-retry", "job-controller.md I129: success after a failure",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1",
     "0=1@1,0@1;*=0@2", "Complete"},
    {"per-index-zero", "job-controller.md I139: the first failure fails the index",
     "completions: 3, parallelism: 3, completionMode: Indexed, backoffLimitPerIndex: 0",
     "2=1@1;*=0@2", "Failed FailedIndexes"},
    {"fail-index", "KEP-3850 story 3, P4: a rule fails the index at once",
     "completions: 3, parallelism: 3, completionMode: Indexed, backoffLimitPerIndex: 3, "
     "podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [42]}}]}",
     "0=42@2;*=0@3", "Failed FailedIndexes"},
    {"max-failed-indexes", "KEP-3850 story 2: too many bad indexes end the Job",
     "completions: 4, parallelism: 4, completionMode: Indexed, backoffLimitPerIndex: 0, "
     "maxFailedIndexes: 1",
     "0=1@2;1=1@3;*=0@60", "Failed MaxFailedIndexesExceeded"},
    {"per-index-fail-job", "job-controller.md I134: FailJob ends all indexes",
     "completions: 3, parallelism: 3, completionMode: Indexed, backoffLimitPerIndex: 3, "
     "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}",
     "0=42@2;*=0@60", "Failed PodFailurePolicy_0"},
    {"per-index-ignore",
     "job-controller.md I135, safety.md B4: ignored failures delay and do not count",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 0, "
     "podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: In, values: [3]}}]}",
     "0=3@2,3@2,0@2;*=0@2", "Complete"},
    {"per-index-global-limit", "job-controller.md I136: the Job's own limit comes first",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 3, "
     "backoffLimit: 0",
     "1@2", "Failed BackoffLimitExceeded"},
    {"per-index-delete", "job-controller.md I146: a user deletes the failed pod",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1",
     "0=1@2,0@2;*=0@20", "Complete", "6s delete-ended-pods j"},
    {"per-index-suspend", "job-controller.md N250: suspended in back-off",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1",
     "0=1@2,0@2;*=0@3", "Complete", "8s suspend j; 20s resume j"},
    {"per-index-suspend-retry", "KEP-3850, B3: a suspension forgets no failure of an index",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1",
     "0=1@1,1@30,1@1;*=0@60", "Failed FailedIndexes", "18s suspend j; 30s resume j"},
    {"per-index-scale-retry", "KEP-3850, B3: fewer pods at once forget none either",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1",
     "1=1@1,1@30,1@1;*=0@60", "Failed FailedIndexes", "18s parallelism j 1; 30s parallelism j 2"},
    {"per-index-elastic-retry", "KEP-3850, 3.30: an index that was cut off unfinished goes on",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1",
     "1=1@1,1@30,1@1;*=0@60", "Failed FailedIndexes", "18s completions j 1; 30s completions j 2"},
    {"per-index-on-failure", "api.md J72: restarts in place are no failures of an index",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 0, "
     "pod: restartPolicy: OnFailure",
     "0=1@1,1@1,1@1,0@1;*=0@2", "Complete"},
    {"per-index-on-failure-for-ever", "api.md J72: only a deadline ends what always fails in place",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1, "
     "activeDeadlineSeconds: 1800, pod: restartPolicy: OnFailure",
     "0=1@1;*=0@2", "Failed DeadlineExceeded"},
    {"success-policy", "job-controller.md J163: one index is enough",
     "completions: 3, parallelism: 3, completionMode: Indexed, successPolicy: {rules: "
     "[{succeededIndexes: \"0\"}]}",
     "0=0@3;*=0@60", "Complete"},
    {"success-policy-count", "job-controller.md J159",
     "completions: 4, parallelism: 4, completionMode: Indexed, successPolicy: {rules: "
     "[{succeededCount: 2}]}",
     "0=1@1;1=0@3;2=0@4;3=0@60", "Complete"},
    {"elastic-up", "KEP-3715: more indexes",
     "completions: 2, parallelism: 2, completionMode: Indexed", "0@10", "Complete",
     "5s completions j 4"},
    {"elastic-down", "A7: fewer indexes", "completions: 4, parallelism: 4, completionMode: Indexed",
     "0@20", "Complete", "5s completions j 2"},
    {"rerun", "job-controller.md 12.2-12.4: some indexes are completed from the start",
     "completions: 6, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1",
     "3=1@1,0@1;*=0@2", "Complete", "", "", "", "0-2,5"},
    {"rerun-of-all", "job-controller.md 12.4: nothing is left to do",
     "completions: 3, parallelism: 3, completionMode: Indexed", "1@1", "Complete", "", "", "",
     "0-2"},
    {"rerun-elastic", "job-controller.md 12.4, 3.29: an index that was cut off runs again",
     "completions: 4, parallelism: 4, completionMode: Indexed", "0@30", "Complete",
     "5s completions j 2; 12s completions j 4", "", "", "1,3"},
    {"edited-count", "27: a user writes nonsense into a pod's failure count",
     "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 2",
     "0=1@5,0@2;*=0@8", "*", "3s annotate-pod j 0 -1; 4s annotate-pod j 1 999999999999"},
});

}  // namespace

std::span<const ScenarioRow> index_rows() {
  return kIndexRows;
}

}  // namespace windlass::verify::simulation
