// What nodes, drains and evictions do to a Job: disruption.md 11 (R) and 12.
#include <array>

#include "simulation/scenario_table.h"

namespace windlass::simulation {
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
    {"unscheduled-deleted", "job-controller.md 246, G-8: pod GC ends what has no node",
     "podReplacementPolicy: Failed", "0@3", "Complete",
     "500ms cordon node-1; 500ms cordon node-2; 5s delete-pod j 0; 60s uncordon node-1"},
    {"no-room", "S-5: nothing fits until a node is opened", "parallelism: 2, completions: 2", "0@3",
     "Complete", "500ms cordon node-1; 500ms cordon node-2; 90s uncordon node-2"},
});

}  // namespace

std::span<const ScenarioRow> disruption_rows() {
  return kDisruptionRows;
}

}  // namespace windlass::simulation
