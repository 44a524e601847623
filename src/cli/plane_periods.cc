#include "cli/plane_periods.h"

#include "api/patch/json_value.h"

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

constexpr const char* kProgram = "windlass";

std::string name_of(const PeriodFlag& flag) {
  return std::string(flag.name).substr(2);  // without its dashes
}

}  // namespace

std::span<const PeriodFlag> period_flags() {
  return kPeriodFlags;
}

std::string periods_json(const PlanePeriods& periods) {
  api::JsonValue values = api::JsonValue::object();
  for (const PeriodFlag& flag : kPeriodFlags) {
    values.members[name_of(flag)] = api::JsonValue::string(format_duration(periods.*flag.member));
  }
  api::JsonValue document = api::JsonValue::object();
  document.members[kProgram] = std::move(values);
  return api::to_json_text(document);
}

PlanePeriods parse_periods(std::string_view json) {
  PlanePeriods periods;
  auto tree = api::parse_json_value(json);
  const api::JsonValue* values = tree ? tree->value.find(kProgram) : nullptr;
  for (const PeriodFlag& flag : kPeriodFlags) {
    const api::JsonValue* value = values == nullptr ? nullptr : values->find(name_of(flag));
    const auto period = value == nullptr ? parse_duration("") : parse_duration(value->text);
    if (period && *period >= Duration::zero()) {
      periods.*flag.member = *period;
    }
  }
  return periods;
}

}  // namespace windlass::cli
