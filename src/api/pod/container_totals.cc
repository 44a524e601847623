#include "api/pod/container_totals.h"

#include "api/pod/default_pod_parts.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::ResourceRequirements;

void add_resources(ResourceTotals& totals, const ResourceMap& resources) {
  for (const auto& [name, amount] : resources) {
    // Decoding has refused what is no quantity.
    totals[name].add(Quantity::parse(amount.string()).value_or(Quantity()));
  }
}

void raise_to(ResourceTotals& totals, const ResourceTotals& others) {
  for (const auto& [name, amount] : others) {
    const auto [found, is_new] = totals.try_emplace(name, amount);
    if (!is_new && amount > found->second) {
      found->second = amount;
    }
  }
}

// `of` tells requests or limits of a container.
template <class Of>
ResourceTotals totals_of(const core::v1::PodSpec& spec, Of of) {
  ResourceTotals running;
  for (const Container& container : spec.containers()) {
    add_resources(running, of(container.resources()));
  }
  ResourceTotals sidecars;
  ResourceTotals initializing;
  for (const Container& container : spec.init_containers()) {
    ResourceTotals now = sidecars;
    add_resources(now, of(container.resources()));
    if (container.restart_policy() == "Always") {
      add_resources(running, of(container.resources()));
      sidecars = now;
    }
    raise_to(initializing, now);
  }
  raise_to(running, initializing);
  return running;
}

}  // namespace

ResourceTotals total_requests(const core::v1::PodSpec& spec) {
  return totals_of(spec, [](const ResourceRequirements& resources) -> const ResourceMap& {
    return resources.requests();
  });
}

ResourceTotals total_limits(const core::v1::PodSpec& spec) {
  return totals_of(spec, [](const ResourceRequirements& resources) -> const ResourceMap& {
    return resources.limits();
  });
}

}  // namespace windlass::api
