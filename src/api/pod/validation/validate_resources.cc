// Requests and limits, of containers and of the pod as a whole (api.md P38).
#include <fmt/format.h>

#include "api/names.h"
#include "api/pod/container_totals.h"
#include "api/pod/defaults/default_pod_parts.h"
#include "api/pod/resource_names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "base/quantity.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

// Decoding has refused what is no quantity.
Quantity quantity_of(const meta::v1::Quantity& message) {
  return Quantity::parse(message.string()).value_or(Quantity());
}

// What may be asked for: not the same for a container and for a pod as a whole.
using ResourceNameRule = void (*)(FieldErrors&, const FieldPath&, std::string_view);

void validate_pod_level_name(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  const auto problems = check_qualified_name(name);
  add_problems(errors, path, name, problems);
  if (!problems.empty()) {
    return;
  }
  if (name.find('/') == std::string_view::npos && !is_standard_resource(name)) {
    errors.invalid(path, name, "must be a standard resource type or fully qualified");
  } else if (!is_pod_level_resource(name)) {
    errors.not_supported(path, name, {"cpu", "hugepages-", "memory"});
  }
}

void validate_container_name(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  const auto problems = check_qualified_name(name);
  const bool qualified = name.find('/') != std::string_view::npos;
  add_problems(errors, path, name, problems);
  if (problems.empty() && !qualified && !is_standard_resource(name)) {
    errors.invalid(path, name, "must be a standard resource type or fully qualified");
  }
  if (!qualified) {
    if (!is_standard_container_resource(name)) {
      errors.invalid(path, name, "must be a standard resource for containers");
    }
  } else if (name.find("kubernetes.io/") == std::string_view::npos && !is_extended_resource(name)) {
    errors.invalid(path, name, "doesn't follow extended resource name standard");
  }
}

bool is_multiple_of_page(std::string_view name, const Quantity& quantity) {
  const auto page = Quantity::parse(name.substr(std::string_view("hugepages-").size()));
  return page && page->sign() > 0 && page->milli_value() % 1000 == 0 &&
         quantity.value() % page->value() == 0;
}

void validate_amount(FieldErrors& errors, const FieldPath& path, std::string_view name,
                     const Quantity& quantity) {
  if (quantity.sign() < 0) {
    errors.invalid(path, quantity.to_string(), "must be greater than or equal to 0");
  }
  if (is_integer_resource(name) && has_fraction(quantity)) {
    errors.invalid(path, quantity.to_string(), "must be an integer");
  }
}

void validate_huge_pages(FieldErrors& errors, const FieldPath& path, std::string_view name,
                         const Quantity& quantity) {
  if (is_huge_pages_resource(name) && !is_multiple_of_page(name, quantity)) {
    errors.invalid(
        path, quantity.to_string(),
        fmt::format("{} is not positive integer multiple of {}", quantity.to_string(), name));
  }
}

void compare_with_limit(FieldErrors& errors, const FieldPath& path, const std::string& name,
                        const Quantity& request, const ResourceMap& limits) {
  const auto found = limits.find(name);
  if (found == limits.end()) {
    if (!may_overcommit(name)) {
      errors.required(path.child("limits"), "Limit must be set for non overcommitable resources");
    }
    return;
  }
  const Quantity limit = quantity_of(found->second);
  if (request != limit && !may_overcommit(name)) {
    errors.invalid(path.child("requests"), request.to_string(),
                   fmt::format("must be equal to {} limit of {}", name, limit.to_string()));
  } else if (request > limit) {
    errors.invalid(
        path.child("requests"), request.to_string(),
        fmt::format("must be less than or equal to {} limit of {}", name, limit.to_string()));
  }
}

bool names_compute(const ResourceMap& resources) {
  return resources.contains("cpu") || resources.contains("memory");
}

bool names_huge_pages(const ResourceMap& resources) {
  return std::any_of(resources.begin(), resources.end(),
                     [](const auto& entry) { return is_huge_pages_resource(entry.first); });
}

void validate_limits(FieldErrors& errors, const FieldPath& path, const ResourceMap& limits,
                     ResourceNameRule check_name) {
  for (std::string_view name : sorted_keys(limits)) {
    const Quantity quantity = quantity_of(limits.at(std::string(name)));
    const FieldPath item = path.key(name);
    check_name(errors, item, name);
    validate_amount(errors, item, name, quantity);
    validate_huge_pages(errors, item, name, quantity);
  }
}

void validate_requirements(FieldErrors& errors, const FieldPath& path,
                           const core::v1::ResourceRequirements& resources,
                           ResourceNameRule check_name) {
  if (!resources.limits().empty()) {
    validate_limits(errors, path.child("limits"), resources.limits(), check_name);
  }
  for (std::string_view name : sorted_keys(resources.requests())) {
    const std::string key(name);
    const Quantity quantity = quantity_of(resources.requests().at(key));
    const FieldPath item = path.child("requests").key(name);
    check_name(errors, item, name);
    validate_amount(errors, item, name, quantity);
    compare_with_limit(errors, path, key, quantity, resources.limits());
    validate_huge_pages(errors, item, name, quantity);
  }
  if ((names_huge_pages(resources.limits()) || names_huge_pages(resources.requests())) &&
      !names_compute(resources.limits()) && !names_compute(resources.requests())) {
    errors.forbidden(path, "HugePages require cpu or memory");
  }
}

// The pod as a whole asks for no less than its containers, and none of them may use more than it.
void compare_with_containers(FieldErrors& errors, const FieldPath& path,
                             const core::v1::PodSpec& spec) {
  const core::v1::ResourceRequirements& whole = spec.resources();
  const auto at_least = [&](const ResourceMap& amounts, std::string_view what,
                            const std::string& name, const Quantity& total) {
    const auto found = amounts.find(name);
    if (found != amounts.end() && total > quantity_of(found->second)) {
      errors.invalid(path.child(what).key(name), quantity_of(found->second).to_string(),
                     fmt::format("must be greater than or equal to aggregate container {} of {}",
                                 what, total.to_string()));
    }
  };
  for (const auto& [name, total] : total_requests(spec)) {
    at_least(whole.requests(), "requests", name, total);
  }
  for (const auto& [name, total] : total_limits(spec)) {
    if (is_huge_pages_resource(name)) {
      at_least(whole.limits(), "limits", name, total);
    }
  }
  for (int i = 0; i < spec.containers_size(); ++i) {
    const ResourceMap& limits = spec.containers(i).resources().limits();
    for (std::string_view name : sorted_keys(limits)) {
      const auto found = whole.limits().find(std::string(name));
      const Quantity limit = quantity_of(limits.at(std::string(name)));
      if (found != whole.limits().end() && limit > quantity_of(found->second)) {
        // The path is the one that Kubernetes gives.
        errors.invalid(path.child("containers").index(as_index(i)).key(name).child("limits"),
                       limit.to_string(),
                       fmt::format("must be less than or equal to pod limits of {}",
                                   quantity_of(found->second).to_string()));
      }
    }
  }
}

}  // namespace

void validate_container_resources(FieldErrors& errors, const FieldPath& path,
                                  const core::v1::ResourceRequirements& resources) {
  validate_requirements(errors, path, resources, validate_container_name);
}

void validate_pod_resources(FieldErrors& errors, const FieldPath& path,
                            const core::v1::PodSpec& spec) {
  if (spec.os().name() == "windows") {
    errors.forbidden(path, "may not be set for a windows pod");
    return;
  }
  if (!spec.resources().claims().empty()) {
    errors.forbidden(path.child("claims"), "claims may not be set for Resources at pod-level");
  }
  validate_requirements(errors, path, spec.resources(), validate_pod_level_name);
  compare_with_containers(errors, path, spec);
}

void validate_amounts(FieldErrors& errors, const FieldPath& path, const ResourceMap& resources) {
  for (std::string_view name : sorted_keys(resources)) {
    validate_amount(errors, path.child(name), name, quantity_of(resources.at(std::string(name))));
  }
}

void validate_overhead(FieldErrors& errors, const FieldPath& path, const core::v1::PodSpec& spec) {
  validate_limits(errors, path.child("limits"), spec.overhead(), validate_container_name);
}

}  // namespace windlass::api
