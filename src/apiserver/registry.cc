#include <array>

#include "apiserver/strategies/strategies.h"
#include "base/check.h"

namespace windlass::apiserver {
namespace {

const api::Kind& must_find(std::string_view api_version, std::string_view name) {
  const api::Kind* kind = api::find_kind(api_version, name);
  CHECK(kind != nullptr, name);
  return *kind;
}

}  // namespace

const api::Kind& new_event_kind() {
  static const api::Kind& kind = must_find("events.k8s.io/v1", "Event");
  return kind;
}

const api::Kind& service_account_kind() {
  static const api::Kind& kind = must_find("v1", "ServiceAccount");
  return kind;
}

const api::Kind& service_kind() {
  static const api::Kind& kind = must_find("v1", "Service");
  return kind;
}

const api::Kind& pod_template_kind() {
  static const api::Kind& kind = must_find("v1", "PodTemplate");
  return kind;
}

const api::Kind& budget_kind() {
  static const api::Kind& kind = must_find("policy/v1", "PodDisruptionBudget");
  return kind;
}

const api::Kind& priority_class_kind() {
  static const api::Kind& kind = must_find("scheduling.k8s.io/v1", "PriorityClass");
  return kind;
}

const Strategy* find_strategy(const api::Kind& kind) {
  static const std::array all = {
      &job_strategy(),     &pod_strategy(),
      &node_strategy(),    &namespace_strategy(),
      &event_strategy(),   &new_event_strategy(),
      &lease_strategy(),   &config_map_strategy(),
      &secret_strategy(),  &service_account_strategy(),
      &service_strategy(), &pod_template_strategy(),
      &budget_strategy(),  &priority_class_strategy(),
  };
  for (const Strategy* strategy : all) {
    if (&strategy->kind() == &kind) {
      return strategy;
    }
  }
  return nullptr;
}

}  // namespace windlass::apiserver
