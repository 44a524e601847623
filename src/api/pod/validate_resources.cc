// Requests and limits (api.md P38).
#include <fmt/format.h>

#include "api/names.h"
#include "api/pod/default_pod_parts.h"
#include "api/pod/resource_names.h"
#include "api/pod/validate_pod_parts.h"
#include "base/quantity.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

// Decoding has refused what is no quantity.
Quantity quantity_of(const meta::v1::Quantity& message) {
  return Quantity::parse(message.string()).value_or(Quantity());
}

void validate_name(FieldErrors& errors, const FieldPath& path, std::string_view name) {
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
  if (is_extended_resource(name) && quantity.milli_value() % 1000 != 0) {
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

void validate_limits(FieldErrors& errors, const FieldPath& path, const ResourceMap& limits) {
  for (std::string_view name : sorted_keys(limits)) {
    const Quantity quantity = quantity_of(limits.at(std::string(name)));
    const FieldPath item = path.key(name);
    validate_name(errors, item, name);
    validate_amount(errors, item, name, quantity);
    validate_huge_pages(errors, item, name, quantity);
  }
}

}  // namespace

void validate_container_resources(FieldErrors& errors, const FieldPath& path,
                                  const core::v1::ResourceRequirements& resources) {
  if (!resources.limits().empty()) {
    validate_limits(errors, path.child("limits"), resources.limits());
  }
  for (std::string_view name : sorted_keys(resources.requests())) {
    const std::string key(name);
    const Quantity quantity = quantity_of(resources.requests().at(key));
    const FieldPath item = path.child("requests").key(name);
    validate_name(errors, item, name);
    validate_amount(errors, item, name, quantity);
    compare_with_limit(errors, path, key, quantity, resources.limits());
    validate_huge_pages(errors, item, name, quantity);
  }
  if ((names_huge_pages(resources.limits()) || names_huge_pages(resources.requests())) &&
      !names_compute(resources.limits()) && !names_compute(resources.requests())) {
    errors.forbidden(path, "HugePages require cpu or memory");
  }
}

void validate_overhead(FieldErrors& errors, const FieldPath& path, const core::v1::PodSpec& spec) {
  validate_limits(errors, path.child("limits"), spec.overhead());
}

}  // namespace windlass::api
