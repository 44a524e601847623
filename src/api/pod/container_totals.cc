#include "api/pod/container_totals.h"

#include "api/pod/defaults/default_pod_parts.h"
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

void raise_to(ResourceTotals& totals, const std::string& name, const Quantity& amount) {
  const auto [found, is_new] = totals.try_emplace(name, amount);
  if (!is_new && amount > found->second) {
    found->second = amount;
  }
}

void raise_to(ResourceTotals& totals, const ResourceTotals& others) {
  for (const auto& [name, amount] : others) {
    raise_to(totals, name, amount);
  }
}

// What runs while an init container does, of the resources that it names itself. Of all others the
// sidecars have no more by then than in the end, so they need not be copied for each.
void raise_to_step(ResourceTotals& totals, const ResourceMap& init,
                   const ResourceTotals& sidecars) {
  for (const auto& [name, amount] : init) {
    Quantity step = Quantity::parse(amount.string()).value_or(Quantity());
    if (const auto found = sidecars.find(name); found != sidecars.end()) {
      step.add(found->second);
    }
    raise_to(totals, name, step);
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
    raise_to_step(initializing, of(container.resources()), sidecars);
    if (container.restart_policy() == "Always") {
      add_resources(running, of(container.resources()));
      add_resources(sidecars, of(container.resources()));
    }
  }
  raise_to(initializing, sidecars);
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
