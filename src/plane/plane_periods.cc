#include "plane/plane_periods.h"

#include <algorithm>

#include "api/codec/json/json_value.h"

namespace windlass::plane {
namespace {

constexpr PeriodFlag kPeriodFlags[] = {
    {"--backoff-base", &PlanePeriods::backoff_base,
     "Delay before a failed pod is replaced; each further failure doubles it"},
    {"--backoff-cap", &PlanePeriods::backoff_cap, "Longest delay before a failed pod is replaced"},
    {"--node-monitor-period", &PlanePeriods::node_monitor_period,
     "Time between two checks of the nodes"},
    {"--node-monitor-grace-period", &PlanePeriods::node_monitor_grace,
     "Time without a heartbeat after which a node is NotReady"},
    {"--node-startup-grace-period", &PlanePeriods::node_startup_grace,
     "The same time for a node that has never been ready"},
    {"--default-toleration", &PlanePeriods::default_toleration,
     "Time that pods stay on a node that is not ready or unreachable, unless they have tolerations "
     "for it"},
    {"--pod-gc-period", &PlanePeriods::pod_gc_period,
     "Time between two collections of pods without a node and of surplus finished pods"},
    {"--pod-gc-quarantine", &PlanePeriods::pod_gc_quarantine,
     "Time that a node must be missing before its pods are collected"},
    {"--disruption-mark-timeout", &PlanePeriods::stale_mark_timeout,
     "Time after which a DisruptionTarget condition is cleared if the pod was not deleted"},
    {"--pod-eviction-timeout", &PlanePeriods::pod_eviction_timeout,
     "Delete the pods of nodes that are not ready for this time with reason NodeLost, without "
     "taints and conditions, as Kubernetes did until 1.26 (default: off)"},
};

constexpr const char* kProgram = "windlass";

std::string name_of(const PeriodFlag& flag) {
  return std::string(flag.name).substr(2);  // without its dashes
}

}  // namespace

PlanePeriods hastened(const PlanePeriods& periods, double times) {
  PlanePeriods hastened = periods;
  for (Duration PlanePeriods::*const wait :
       {&PlanePeriods::backoff_base, &PlanePeriods::backoff_cap, &PlanePeriods::default_toleration,
        &PlanePeriods::pod_gc_period, &PlanePeriods::pod_gc_quarantine,
        &PlanePeriods::stale_mark_timeout}) {
    const auto count = static_cast<double>((periods.*wait).count()) / times;
    hastened.*wait =
        std::max(Duration(static_cast<Duration::rep>(count)), Duration(milliseconds(1)));
  }
  return hastened;
}

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

bool is_windlass_answer(std::string_view json) {
  const auto tree = api::parse_json_value(json);
  return tree && tree->value.find(kProgram) != nullptr;
}

}  // namespace windlass::plane
