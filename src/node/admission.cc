#include "node/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "node/shutdown_groups.h"

namespace windlass::node {
namespace {

constexpr int64_t kMilliUnit = 1000;

int64_t amount_of(const MilliAmounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

void raise_amounts(const MilliAmounts& amounts, MilliAmounts& to) {
  for (const auto& [name, value] : amounts) {
    int64_t& own = to[name];
    own = std::max(own, value);
  }
}

// Processors in thousandths, everything else in whole units (K-4).
int64_t shown(std::string_view resource, int64_t milli) {
  return resource == "cpu" ? milli : milli / kMilliUnit + (milli % kMilliUnit > 0 ? 1 : 0);
}

Rejection out_of(std::string_view resource, int64_t requested, int64_t used, int64_t capacity) {
  return {fmt::format("OutOf{}", resource),
          fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}",
                      resource, requested, used, capacity)};
}

std::optional<Rejection> check_amount(std::string_view resource, const MilliAmounts& requests,
                                      const NodeRoom& room) {
  const int64_t requested = amount_of(requests, resource);
  const int64_t used = amount_of(room.used, resource);
  const int64_t capacity = amount_of(room.allocatable, resource);
  if (requested <= 0 || requested <= capacity - used) {
    return std::nullopt;
  }
  return out_of(resource, shown(resource, requested), shown(resource, used),
                shown(resource, capacity));
}

std::optional<Rejection> check_resources(const PodPlan& pod, const NodeRoom& room) {
  const int64_t max_pods = amount_of(room.allocatable, "pods") / kMilliUnit;
  if (room.pods + 1 > max_pods) {
    return out_of("pods", 1, room.pods, max_pods);
  }
  const MilliAmounts requests = pod_requests(pod);
  constexpr std::string_view kNative[] = {"cpu", "memory", "ephemeral-storage"};
  for (const std::string_view resource : kNative) {
    if (auto rejection = check_amount(resource, requests, room)) {
      return rejection;
    }
  }
  for (const auto& [resource, value] : requests) {
    // One that the node does not know at all is nobody's business.
    if (!room.allocatable.contains(resource)) {
      continue;
    }
    if (auto rejection = check_amount(resource, requests, room)) {
      return rejection;
    }
  }
  return std::nullopt;
}

}  // namespace

void add_amounts(const MilliAmounts& amounts, MilliAmounts& to) {
  for (const auto& [name, value] : amounts) {
    int64_t& own = to[name];
    if (__builtin_add_overflow(own, value, &own)) {
      own = std::numeric_limits<int64_t>::max();
    }
  }
}

MilliAmounts pod_requests(const PodPlan& pod) {
  MilliAmounts total;
  for (const ContainerPlan& container : pod.containers) {
    add_amounts(container.requests, total);
  }
  MilliAmounts sidecars;
  MilliAmounts largest_step;
  for (const ContainerPlan& init : pod.init_containers) {
    MilliAmounts step = sidecars;
    add_amounts(init.requests, step);
    raise_amounts(step, largest_step);
    if (init.sidecar) {
      sidecars = step;
    }
  }
  add_amounts(sidecars, total);
  raise_amounts(largest_step, total);
  add_amounts(pod.overhead, total);
  return total;
}

std::optional<Rejection> pressure_rejection(const PodPlan& pod,
                                            const pressure::Conditions& conditions) {
  if (!conditions.any() || pod.priority >= kCriticalPriority) {
    return std::nullopt;
  }
  if (conditions == pressure::Conditions{.memory = true} && !pod.best_effort) {
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

std::optional<Rejection> rejection_of(const PodPlan& pod, const NodeRoom& room) {
  if (auto rejection = check_resources(pod, room)) {
    return rejection;
  }
  if (!pod.operating_system.empty() && pod.operating_system != room.operating_system) {
    return Rejection{"PodOSNotSupported",
                     "Failed to admit pod as the OS field doesn't match node OS"};  // K-7
  }
  return std::nullopt;
}

}  // namespace windlass::node
