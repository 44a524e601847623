#include "node/pressure/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/quantity.h"
#include "node/shutdown/node_shutdown.h"

namespace windlass::node::pressure {
namespace {

std::string amount_text(uint64_t amount) {
  return Quantity(static_cast<int64_t>(amount), Quantity::Format::binary_si).to_string();
}

uint64_t excess(const Candidate& pod) {
  return pod.used - std::min(pod.used, pod.requested);
}

}  // namespace

std::vector<Candidate> in_order_of_eviction(EvictionSignal signal, std::vector<Candidate> pods,
                                            uint64_t missing) {
  std::erase_if(pods, [missing](const Candidate& pod) {
    return pod.priority >= kCriticalPriority || pod.used == 0 || pod.used < missing / kWorthOneIn;
  });
  std::sort(pods.begin(), pods.end(), [signal](const Candidate& a, const Candidate& b) {
    if (signal == EvictionSignal::pids) {  // pods do not request process numbers
      return std::tie(a.priority, b.used, a.uid) < std::tie(b.priority, a.used, b.uid);
    }
    const auto key = [](const Candidate& pod, const Candidate& other) {
      return std::tuple(pod.used <= pod.requested, pod.priority, excess(other), pod.uid);
    };
    return key(a, b) < key(b, a);
  });
  return pods;
}

std::string eviction_message(const Threshold& threshold, const env::ResourceLevel& level,
                             const Candidate& pod) {
  const std::string_view resource = resource_name(threshold.signal);
  std::string message =
      fmt::format("The node was low on resource: {}. Threshold quantity: {}, available: {}. ",
                  resource, threshold.amount.shown(level.capacity), amount_text(level.available));
  if (threshold.signal != EvictionSignal::memory && threshold.signal != EvictionSignal::disk) {
    return message;
  }
  for (const ContainerShare& container : pod.containers) {
    if (container.used > container.requested) {
      message += fmt::format(
          "Container {} was using {}, request is {}, has larger consumption of {}. ",
          container.name, amount_text(container.used), amount_text(container.requested), resource);
    }
  }
  return message;
}

}  // namespace windlass::node::pressure
