// Which pods make room for a critical one (admission.h; disruption.md K-80).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "node/pod/admission.h"

namespace windlass::node {
namespace {

using Missing = std::map<std::string, int64_t>;  // by resource; nothing of what is not missing
using Holders = std::vector<const PlaceHolder*>;

int64_t request_of_holder(const PlaceHolder& pod, const std::string& resource) {
  const placement::Resources& requests = pod.requests;
  if (resource == "pods") {
    return 1;
  }
  if (resource == "cpu") {
    return requests.milli_cpu;
  }
  if (resource == "memory") {
    return requests.memory;
  }
  if (resource == "ephemeral-storage") {
    return requests.ephemeral_storage;
  }
  const auto found = requests.extended.find(resource);
  return found == requests.extended.end() ? 0 : found->second;
}

Missing without(Missing missing, const Holders& gone) {
  for (const PlaceHolder* pod : gone) {
    for (auto& [resource, amount] : missing) {
      amount -= std::min(amount, request_of_holder(*pod, resource));
    }
  }
  std::erase_if(missing, [](const auto& entry) { return entry.second <= 0; });
  return missing;
}

// How much would still be missing after it, as a share of each resource.
double distance(const PlaceHolder& pod, const Missing& missing) {
  double sum = 0;
  for (const auto& [resource, amount] : missing) {
    const int64_t left = amount - std::min(amount, request_of_holder(pod, resource));
    const double share = static_cast<double>(left) / static_cast<double>(amount);
    sum += share * share;
  }
  return sum;
}

// Of these pods, the nearest one again and again until nothing is missing.
Holders nearest(Holders pods, Missing missing) {
  Holders chosen;
  while (!missing.empty() && !pods.empty()) {
    const auto best = std::min_element(
        pods.begin(), pods.end(), [&missing](const PlaceHolder* a, const PlaceHolder* b) {
          const auto key = [&missing](const PlaceHolder& pod) {
            return std::tuple(distance(pod, missing), pod.requests.memory, pod.requests.milli_cpu,
                              pod.uid);
          };
          return key(*a) < key(*b);
        });
    chosen.push_back(*best);
    missing = without(std::move(missing), {*best});
    pods.erase(best);
  }
  return chosen;
}

Holders together(Holders a, const Holders& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

Result<std::vector<std::string>> pods_to_preempt(int32_t priority,
                                                 const std::vector<Shortage>& shortages,
                                                 const std::vector<PlaceHolder>& pods) {
  Missing missing;
  for (const Shortage& shortage : shortages) {
    missing[shortage.resource] = shortage.missing();
  }
  std::map<QosClass, Holders> by_qos_class;
  Holders all;
  for (const PlaceHolder& pod : pods) {
    if (pod.priority < priority) {
      by_qos_class[pod.qos_class].push_back(&pod);
      all.push_back(&pod);
    }
  }
  if (const Missing left = without(missing, all); !left.empty()) {
    std::string text;
    for (const auto& [resource, amount] : left) {
      text += fmt::format("(res: {}, q: {}), ", resource, amount);
    }
    return fail(plain_error(fmt::format(
        "Unexpected error while attempting to recover from admission failure: preemption: error "
        "finding a set of pods to preempt: no set of running pods found to reclaim resources: [{}]",
        text)));
  }
  const Holders& best_effort = by_qos_class[QosClass::best_effort];
  const Holders& burstable = by_qos_class[QosClass::burstable];
  const Holders guaranteed_go = nearest(by_qos_class[QosClass::guaranteed],
                                        without(missing, together(best_effort, burstable)));
  const Holders burstable_go =
      nearest(burstable, without(missing, together(best_effort, guaranteed_go)));
  const Holders best_effort_go =
      nearest(best_effort, without(missing, together(burstable_go, guaranteed_go)));
  std::vector<std::string> uids;
  for (const PlaceHolder* pod : together(together(best_effort_go, burstable_go), guaranteed_go)) {
    uids.push_back(pod->uid);
  }
  return uids;
}

}  // namespace windlass::node
