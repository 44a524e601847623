#include <map>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "api/pod/validation/validate_pod_update.h"
#include "api/validate_metadata.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::ContainerRestartRuleOnExitCodes;
using core::v1::ContainerStatus;
using core::v1::Pod;
using core::v1::PodSpec;

// P62: the types that Kubernetes itself writes are taken as they are.
void validate_conditions(FieldErrors& errors, const FieldPath& path,
                         const core::v1::PodStatus& status) {
  for (int i = 0; i < status.conditions_size(); ++i) {
    const core::v1::PodCondition& condition = status.conditions(i);
    if (condition.observed_generation() < 0) {
      errors.invalid(path.index(as_index(i)).child("observedGeneration"),
                     BadValue::number(condition.observed_generation()),
                     "must be a non-negative integer");
    }
    const std::string& type = condition.type();
    if (type != "PodScheduled" && type != "Ready" && type != "Initialized") {
      add_problems(errors, path.index(as_index(i)).child("Type"), type, check_qualified_name(type));
    }
  }
}

bool contains_code(const ContainerRestartRuleOnExitCodes& codes, int32_t exit_code) {
  const auto& values = codes.values();
  const bool listed = std::find(values.begin(), values.end(), exit_code) != values.end();
  return codes.operator_() == "In" ? listed : codes.operator_() == "NotIn" && !listed;
}

bool restarts_whole_pod(const Repeated<Container>& containers) {
  return std::any_of(containers.begin(), containers.end(), [](const Container& container) {
    const auto& rules = container.restart_policy_rules();
    return std::any_of(rules.begin(), rules.end(),
                       [](const auto& rule) { return rule.action() == "RestartAllContainers"; });
  });
}

// The container's rules first, then its own policy, then the pod's.
bool may_restart(const Container& container, const PodSpec& spec, int32_t exit_code) {
  if (container.has_restart_policy()) {
    for (const core::v1::ContainerRestartRule& rule : container.restart_policy_rules()) {
      if (rule.has_exit_codes() && contains_code(rule.exit_codes(), exit_code)) {
        return true;
      }
    }
  }
  const std::string& policy =
      container.has_restart_policy() ? container.restart_policy() : spec.restart_policy();
  return policy == "OnFailure" ? exit_code != 0 : policy != "Never";
}

// P61
void validate_transitions(FieldErrors& errors, const FieldPath& path,
                          const Repeated<ContainerStatus>& statuses,
                          const Repeated<ContainerStatus>& old,
                          const Repeated<Container>& containers, const PodSpec& spec) {
  std::map<std::string_view, const ContainerStatus*> by_name;
  for (const ContainerStatus& status : statuses) {
    by_name.emplace(status.name(), &status);
  }
  std::map<std::string_view, const Container*> by_container;
  for (const Container& container : containers) {
    by_container.emplace(container.name(), &container);
  }
  for (int i = 0; i < old.size(); ++i) {
    const auto now = by_name.find(old[i].name());
    if (!old[i].state().has_terminated() || now == by_name.end() ||
        now->second->state().has_terminated()) {
      continue;
    }
    const auto container = by_container.find(old[i].name());
    if (container == by_container.end() ||
        !may_restart(*container->second, spec, old[i].state().terminated().exit_code())) {
      errors.forbidden(path.index(as_index(i)).child("state"),
                       "may not be transitioned to non-terminated state");
    }
  }
}

template <class Addresses>
std::vector<std::string> texts_of(const Addresses& addresses) {
  std::vector<std::string> texts;
  for (const auto& address : addresses) {
    texts.push_back(address.ip());
  }
  return texts;
}

void validate_all_addresses(FieldErrors& errors, const FieldPath& path,
                            const core::v1::PodStatus& status, const core::v1::PodStatus& old) {
  validate_addresses(errors, path.child("podIPs"), texts_of(status.pod_ips()),
                     texts_of(old.pod_ips()));
  if (status.host_ips().empty()) {
    return;
  }
  const FieldPath host = path.child("hostIPs");
  if (status.host_ip() != status.host_ips(0).ip()) {
    errors.invalid(host.index(0).child("ip"), status.host_ips(0).ip(), "must be equal to `hostIP`");
  }
  validate_addresses(errors, host, texts_of(status.host_ips()), texts_of(old.host_ips()));
}

void validate_nominated_node(FieldErrors& errors, const FieldPath& path, const Pod& pod,
                             const Pod& old) {
  const std::string& name = pod.status().nominated_node_name();
  if (name.empty() || name == old.status().nominated_node_name()) {
    return;
  }
  add_problems(errors, path, name, check_dns1123_subdomain(name));
  if (!old.spec().node_name().empty()) {
    errors.forbidden(path, "may not be set on pods that are already bound to a node");
  }
}

}  // namespace

void validate_pod_status_update(FieldErrors& errors, const Pod& pod, const Pod& old) {
  const FieldPath metadata("metadata");
  const FieldPath path("status");
  validate_generic_update(errors, metadata, pod.metadata(), old.metadata(), true);
  validate_object_meta_update(errors, metadata, pod.metadata(), old.metadata());
  validate_conditions(errors, path.child("conditions"), pod.status());
  validate_nominated_node(errors, path.child("nominatedNodeName"), pod, old);
  if (pod.status().observed_generation() < 0) {
    errors.invalid(path.child("observedGeneration"),
                   BadValue::number(pod.status().observed_generation()),
                   "must be a non-negative integer");
  }
  if (pod.status().qos_class() != old.status().qos_class()) {  // P60
    errors.invalid(path.child("qosClass"), pod.status().qos_class(), "field is immutable");
  }
  const PodSpec& spec = old.spec();
  if (!restarts_whole_pod(spec.containers()) && !restarts_whole_pod(spec.init_containers())) {
    validate_transitions(errors, path.child("containerStatuses"), pod.status().container_statuses(),
                         old.status().container_statuses(), spec.containers(), spec);
    validate_transitions(errors, path.child("initContainerStatuses"),
                         pod.status().init_container_statuses(),
                         old.status().init_container_statuses(), spec.init_containers(), spec);
  }
  // No container is listed for these: they never start again.
  validate_transitions(errors, path.child("ephemeralContainerStatuses"),
                       pod.status().ephemeral_container_statuses(),
                       old.status().ephemeral_container_statuses(), {}, spec);
  validate_all_addresses(errors, path, pod.status(), old.status());
}

}  // namespace windlass::api
