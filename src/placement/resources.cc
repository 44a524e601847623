#include "placement/resources.h"

#include <algorithm>
#include <limits>

#include "base/quantity.h"

namespace windlass::placement {

namespace {

int64_t saturating_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return b > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
  }
  return sum;
}

template <class Combine>
void combine_into(Resources& to, const Resources& amount, Combine combine) {
  to.milli_cpu = combine(to.milli_cpu, amount.milli_cpu);
  to.memory = combine(to.memory, amount.memory);
  to.ephemeral_storage = combine(to.ephemeral_storage, amount.ephemeral_storage);
  for (const auto& [name, value] : amount.extended) {
    int64_t& own = to.extended[name];
    own = combine(own, value);
  }
}

// What runs while an init container does, of the resources that it asks for itself. Of all others
// the sidecars have no more by then than in the end, so they need not be copied for each.
Resources step_of(const Resources& init, const Resources& sidecars) {
  Resources step = init;
  step.milli_cpu = saturating_sum(step.milli_cpu, sidecars.milli_cpu);
  step.memory = saturating_sum(step.memory, sidecars.memory);
  step.ephemeral_storage = saturating_sum(step.ephemeral_storage, sidecars.ephemeral_storage);
  for (auto& [name, value] : step.extended) {
    if (const auto found = sidecars.extended.find(name); found != sidecars.extended.end()) {
      value = saturating_sum(value, found->second);
    }
  }
  return step;
}

}  // namespace

void set_amount(Resources& resources, const std::string& name, const Quantity& amount) {
  if (name == "cpu") {
    resources.milli_cpu = amount.milli_value();
  } else if (name == "memory") {
    resources.memory = amount.value();
  } else if (name == "ephemeral-storage") {
    resources.ephemeral_storage = amount.value();
  } else if (name != "pods") {
    resources.extended[name] = amount.value();
  }
}

void add(Resources& to, const Resources& amount) {
  combine_into(to, amount, saturating_sum);
}

void subtract(Resources& from, const Resources& amount) {
  combine_into(from, amount, [](int64_t a, int64_t b) { return b >= a ? 0 : a - b; });
}

void raise(Resources& to, const Resources& amount) {
  combine_into(to, amount, [](int64_t a, int64_t b) { return std::max(a, b); });
}

Resources pod_requests(std::span<const ContainerResourceRequest> init_containers,
                       std::span<const ContainerResourceRequest> containers,
                       const Resources& overhead) {
  Resources total;
  for (const ContainerResourceRequest& container : containers) {
    add(total, container.requests);
  }
  Resources sidecars;
  Resources largest_step;
  for (const ContainerResourceRequest& init : init_containers) {
    raise(largest_step, step_of(init.requests, sidecars));
    if (init.sidecar) {
      add(sidecars, init.requests);
    }
  }
  raise(largest_step, sidecars);
  add(total, sidecars);
  raise(total, largest_step);
  add(total, overhead);
  return total;
}

}  // namespace windlass::placement
