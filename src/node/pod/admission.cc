#include "node/pod/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "node/shutdown/node_shutdown.h"

namespace windlass::node {
namespace {

using placement::Resources;
using placement::Taint;

constexpr const char* kTaintsText = "node(s) had taints that the pod didn't tolerate";

Rejection predicate_failed(const char* name, const char* why) {
  return {name, fmt::format("Predicate {} failed: {}", name, why)};
}

}  // namespace

std::optional<Rejection> pressure_rejection(const PodSpecView& pod,
                                            const pressure::Conditions& conditions) {
  if (!conditions.any() || pod.priority >= kCriticalPriority) {
    return std::nullopt;
  }
  const Taint memory{"node.kubernetes.io/memory-pressure", "", "NoSchedule"};
  if (conditions == pressure::Conditions{.memory = true} &&
      (pod.qos_class != QosClass::best_effort || placement::tolerates(pod.needs, memory))) {
    return std::nullopt;
  }
  std::vector<const char*> names;
  for (const auto& [pressed, name] :
       {std::pair(conditions.disk, "DiskPressure"), std::pair(conditions.memory, "MemoryPressure"),
        std::pair(conditions.pids, "PIDPressure")}) {
    if (pressed) {
      names.push_back(name);
    }
  }
  return Rejection{"Evicted", fmt::format("The node had condition: [{}]. ", fmt::join(names, " "))};
}

std::vector<Shortage> shortages_of(const PodSpecView& pod, const NodeRoom& room) {
  std::vector<Shortage> shortages;
  const auto compare = [&shortages](const std::string& resource, int64_t requested, int64_t used,
                                    int64_t capacity) {
    if (requested > 0 && requested > capacity - used) {
      shortages.push_back({resource, requested, used, capacity});
    }
  };
  const Resources& want = pod.needs.requests;
  const Resources& used = room.used;
  const Resources& all = room.allocatable;
  compare("pods", 1, room.pods, room.max_pods);
  compare("cpu", want.milli_cpu, used.milli_cpu, all.milli_cpu);
  compare("memory", want.memory, used.memory, all.memory);
  compare("ephemeral-storage", want.ephemeral_storage, used.ephemeral_storage,
          all.ephemeral_storage);
  for (const auto& [name, requested] : want.extended) {
    if (const auto listed = all.extended.find(name); listed != all.extended.end()) {
      const auto taken = used.extended.find(name);
      compare(name, requested, taken == used.extended.end() ? 0 : taken->second, listed->second);
    }
  }
  return shortages;
}

Rejection shortage_rejection(const Shortage& shortage) {
  return {fmt::format("OutOf{}", shortage.resource),
          fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}",
                      shortage.resource, shortage.requested, shortage.used, shortage.capacity)};
}

bool depends_on_labels(const PodSpecView& pod, const NodeRoom& room) {
  return !placement::wants_node(pod.needs, room.traits);
}

std::optional<Rejection> predicate_rejection(const PodSpecView& pod, const NodeRoom& room) {
  if (!placement::wants_node(pod.needs, room.traits)) {
    return predicate_failed("NodeAffinity", placement::kNodeAffinityText);
  }
  if (room.ports.first_taken(pod.needs.host_ports) != nullptr) {
    return predicate_failed("NodePorts", placement::kPortsText);
  }
  // NoSchedule is the scheduler's concern: what is bound is not to be scheduled any more.
  const auto& taints = room.traits.taints;
  if (std::any_of(taints.begin(), taints.end(), [&pod](const Taint& taint) {
        return taint.effect == "NoExecute" && !placement::tolerates(pod.needs, taint);
      })) {
    return predicate_failed("TaintToleration", kTaintsText);
  }
  return std::nullopt;
}

std::optional<Rejection> system_rejection(const PodSpecView& pod, const NodeRoom& room) {
  if (!pod.operating_system.empty() && pod.operating_system != room.operating_system) {
    return Rejection{"PodOSNotSupported",
                     "Failed to admit pod as the OS field doesn't match node OS"};
  }
  return std::nullopt;
}

std::optional<Rejection> protection_rejection(const PodSpecView& pod,
                                              const env::ContainerSupport& support) {
  using Field = api::UnsupportedField;
  const auto found =
      std::find_if(pod.unsupported.begin(), pod.unsupported.end(), [&support](const Field& field) {
        const bool given =
            field.unless == Field::Unless::user_namespaces && support.user_namespaces;
        return field.effect == Field::Effect::refused && !given;
      });
  if (found == pod.unsupported.end()) {
    return std::nullopt;
  }
  return Rejection{found->reason, found->text()};
}

std::optional<Rejection> privilege_rejection(const PodSpecView& pod) {
  for (const auto* list : {&pod.init_containers, &pod.containers}) {
    for (const ContainerSpecView& container : *list) {
      if (container.identity.privileged) {
        return Rejection{"PrivilegedForbidden",
                         fmt::format("container \"{}\" is privileged, and this node runs no "
                                     "privileged containers: start it with --allow-privileged",
                                     container.name)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace windlass::node
