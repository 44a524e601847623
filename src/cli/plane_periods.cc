#include "cli/plane_periods.h"

namespace windlass::cli {
namespace {

constexpr PeriodFlag kPeriodFlags[] = {
    {"--backoff-base", &PlanePeriods::backoff_base,
     "Delay before a failed pod is replaced; doubles with each further failure (10s)"},
    {"--backoff-cap", &PlanePeriods::backoff_cap, "The longest such delay (10m)"},
    {"--node-monitor-period", &PlanePeriods::node_monitor_period,
     "How often nodes are looked at (5s)"},
    {"--node-monitor-grace-period", &PlanePeriods::node_monitor_grace,
     "Without a heartbeat for so long, a node is no longer ready (50s)"},
    {"--node-startup-grace-period", &PlanePeriods::node_startup_grace,
     "The same for a node that has never been ready (1m)"},
    {"--default-toleration", &PlanePeriods::default_toleration,
     "How long pods stay on a node that is not ready or unreachable, unless they say otherwise "
     "(5m)"},
    {"--pod-gc-period", &PlanePeriods::pod_gc_period,
     "How often pods without a node, or too many finished ones, are collected (20s)"},
    {"--pod-gc-quarantine", &PlanePeriods::pod_gc_quarantine,
     "How long a node must be missing before its pods are (40s)"},
    {"--disruption-mark-timeout", &PlanePeriods::stale_mark_timeout,
     "A DisruptionTarget mark that nobody acted on is cleared after so long (2m)"},
    {"--pod-eviction-timeout", &PlanePeriods::pod_eviction_timeout,
     "Delete pods of nodes that were not ready for so long with reason NodeLost, without taints "
     "and marks, as Kubernetes did until 1.26 (off)"},
};

}  // namespace

std::span<const PeriodFlag> period_flags() {
  return kPeriodFlags;
}

}  // namespace windlass::cli
