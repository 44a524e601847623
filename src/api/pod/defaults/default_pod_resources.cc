// spec.resources of a pod: what it leaves open follows from its containers and its own limits.

#include "api/pod/container_totals.h"
#include "api/pod/defaults/default_pod_parts.h"
#include "api/pod/resource_names.h"
#include "base/quantity.h"
#include "schema/core/v1/pod_spec.pb.h"
#include "schema/meta/v1/quantity.pb.h"

namespace windlass::api {

namespace {

void rewrite(meta::v1::Quantity& message, bool round_up) {
  auto quantity = Quantity::parse(message.string());
  if (!quantity) {
    return;
  }
  if (round_up) {
    quantity->round_up_to_milli();
  }
  if (std::string text = quantity->to_string(); text != message.string()) {
    message.set_string(std::move(text));
  }
}

}  // namespace

void default_resources(ResourceMap& resources) {
  for (auto& [name, quantity] : resources) {
    rewrite(quantity, true);
  }
}

void canonicalize_quantity(meta::v1::Quantity& quantity) {
  rewrite(quantity, false);
}

namespace {

void set_missing(ResourceMap& resources, const std::string& name, const std::string& amount) {
  if (!resources.contains(name)) {
    resources[name].set_string(amount);
  }
}

}  // namespace

void default_pod_resources(core::v1::PodSpec& spec) {
  core::v1::ResourceRequirements& resources = *spec.mutable_resources();
  if (resources.limits().empty() && resources.requests().empty()) {
    return;
  }
  for (const auto& [name, amount] : total_limits(spec)) {
    if (is_huge_pages_resource(name) && !resources.requests().contains(name)) {
      set_missing(*resources.mutable_limits(), name, amount.to_string());
    }
  }
  if (resources.limits().empty()) {
    return;
  }
  for (const auto& [name, amount] : total_requests(spec)) {
    if (is_pod_level_resource(name) && may_overcommit(name)) {
      set_missing(*resources.mutable_requests(), name, amount.to_string());
    }
  }
  for (const auto& [name, amount] : resources.limits()) {
    if (is_pod_level_resource(name)) {
      set_missing(*resources.mutable_requests(), name, amount.string());
    }
  }
}

}  // namespace windlass::api
