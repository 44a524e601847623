// What nodes, drains and evictions do to a Job: disruption.md 11 (R) and 12.
#include <array>

#include "verify/simulation/scenarios/scenario.h"

namespace windlass::verify::simulation {
namespace {

constexpr auto kDisruptionRows = std::to_array<ScenarioRow>({
    {"drain", "R-3: the node is drained, the Job ignores it",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}",
     "0@30,0@3", "Complete", "5s drain node-1; 5s drain node-2; 20s uncordon node-1"},
    {"drain-counted", "R-3 without a policy: the eviction counts", "backoffLimit: 0", "0@30,0@3",
     "Failed BackoffLimitExceeded", "5s drain node-1; 5s drain node-2; 20s uncordon node-1"},
    {"evict-pending", "69: an eviction of a pod that never ran",
     "backoffLimit: 3, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}",
     "0@3", "Complete",
     "500ms cordon node-1; 500ms cordon node-2; 5s evict-pod j 0; "
     "30s uncordon node-1"},
    {"drain-budget", "62, E-9: of two pods a budget lets one go at a time",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}, parallelism: 2, completions: 2",
     "0@60,0@60,0@3", "Complete",
     "2s budget j 1; 15s drain node-1; 15s drain node-2; 40s uncordon node-1; 40s uncordon node-2"},
    {"preempt", "11, R-1: a pod makes room for one of higher priority, the Job ignores it",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}",
     "0@60,0@3", "Complete", "10s create urgent", "", "parallelism: 2, completions: 2"},
    {"preempt-counted", "R-1 without a policy: the preemption counts", "backoffLimit: 0",
     "0@60,0@3", "Failed BackoffLimitExceeded", "10s create urgent", "",
     "parallelism: 2, completions: 2"},
    {"preempt-let-down", "P-3: the nodes where room is made are closed meanwhile",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}, parallelism: 2, completions: 2",
     "0@90/20:143,0@90/20:143,0@3", "Complete",
     "10s create urgent; 15s cordon node-1; 22s uncordon node-1; 22s cordon node-2; "
     "60s uncordon node-2",
     "", "parallelism: 1, completions: 1"},
    {"node-lost", "R-11: the node object goes, pod GC ends its pods",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}",
     "0@300,0@3", "Complete",
     "5s pause node-1 600s; 5s pause node-2 200s; 6s delete-node node-1; 6s delete-node node-2; "
     "210s crash node-2 1s"},
    {"force-delete", "46: gone from the API while it runs", "backoffLimit: 2", "0@30,0@3",
     "Complete", "5s force-delete-pod j 0"},
    {"stale-mark", "D-12: a mark that nothing followed is cleared", "", "0@200", "Complete",
     "5s mark-pod j 0"},
    {"unscheduled-deleted",
     "job-controller.md N246, disruption.md G-8: pod GC ends what has no node",
     "podReplacementPolicy: Failed", "0@3", "Complete",
     "500ms cordon node-1; 500ms cordon node-2; 5s delete-pod j 0; 60s uncordon node-1"},
    {"no-room", "S-5: nothing fits until a node is opened", "parallelism: 2, completions: 2", "0@3",
     "Complete", "500ms cordon node-1; 500ms cordon node-2; 90s uncordon node-2"},
    {"taint", "R-2: a NoExecute taint, the Job ignores it",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}",
     "0@30,0@3", "Complete", "5s taint node-1; 5s taint node-2; 20s untaint node-1"},
    {"taint-counted", "R-2 without a policy: the eviction counts", "backoffLimit: 0", "0@30,0@3",
     "Failed BackoffLimitExceeded", "5s taint node-1; 5s taint node-2; 20s untaint node-1"},
    {"taint-tolerated", "35, 36: tolerated for a while, and gone before it is over",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}, pod: tolerations: [{key: test, operator: Exists, "
     "effect: NoExecute, "
     "tolerationSeconds: 60}]",
     "0@90", "Complete",
     "5s taint node-1; 5s taint node-2; 30s untaint node-1; 30s untaint node-2"},
    {"taint-time-over", "35: tolerated for a while that is too short",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}, pod: tolerations: [{key: test, operator: Exists, "
     "effect: NoExecute, "
     "tolerationSeconds: 20}]",
     "0@90,0@3", "Complete", "5s taint node-1; 5s taint node-2; 40s untaint node-2"},
    {"node-silent",
     "R-10, 52: the node is silent for so long that its pod is evicted, and comes back",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}, podReplacementPolicy: Failed",
     "0@600,0@3", "Complete", "2s cordon node-2; 10s pause node-1 420s; 300s uncordon node-2"},
    {"node-silent-short", "N-4, N-6: the node comes back before the pod is evicted",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}",
     "0@200", "Complete", "5s pause node-1 120s; 5s pause node-2 20s"},
    {"all-nodes-silent", "N-7: when all nodes are silent no pod is evicted",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}",
     "0@600", "Complete", "5s pause node-1 500s; 5s pause node-2 500s"},
    {"elected", "two controllers and a Lease: the leader dies, the other one goes on",
     "parallelism: 2, completions: 6", "0@10", "Complete",
     "8s crash job-controller 60s; 40s crash job-controller-2 20s", "elected"},
    {"elected-paused", "the leader sleeps through its Lease, and may not write when it wakes",
     "backoffLimit: 3", "1@5,1@5,0@5", "Complete",
     "6s pause job-controller 40s; 50s pause job-controller-2 40s", "elected"},
    {"hollow", "hollow nodes carry on after a crash", "parallelism: 2, completions: 4", "0@10",
     "Complete", "8s crash node-1 10s; 9s crash node-2 5s", "hollow"},
    {"hollow-drain", "R-3 on hollow nodes",
     "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
     "DisruptionTarget, status: \"True\"}]}]}",
     "0@30,0@3", "Complete", "5s drain node-1; 5s drain node-2; 20s uncordon node-1", "hollow"},
    {"hollow-retry", "hollow nodes fail as they are told", "backoffLimit: 3", "1@2,1@2,0@1",
     "Complete", "", "hollow"},
});

}  // namespace

std::span<const ScenarioRow> disruption_rows() {
  return kDisruptionRows;
}

}  // namespace windlass::verify::simulation
