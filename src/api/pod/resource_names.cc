#include "api/pod/resource_names.h"

#include <algorithm>
#include <limits>
#include <string>

#include "api/names.h"
#include "base/quantity.h"

namespace windlass::api {
namespace {

constexpr std::string_view kQuotaAmounts[] = {
    "requests.cpu", "requests.memory",  "requests.ephemeral-storage",
    "limits.cpu",   "limits.memory",    "limits.ephemeral-storage",
    "storage",      "requests.storage",
};

constexpr std::string_view kCounted[] = {
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
};

template <class Names>
bool is_among(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != std::end(names);
}

bool is_native(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

}  // namespace

bool is_huge_pages_resource(std::string_view name) {
  return name.starts_with("hugepages-");
}

bool is_standard_container_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
         is_huge_pages_resource(name);
}

bool is_pod_level_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || is_huge_pages_resource(name);
}

bool is_standard_resource(std::string_view name) {
  return is_standard_container_resource(name) || name.starts_with("requests.hugepages-") ||
         is_among(name, kQuotaAmounts) || is_among(name, kCounted);
}

bool is_extended_resource(std::string_view name) {
  // The name must still be one when a quota puts "requests." before it.
  return !is_native(name) && !name.starts_with("requests.") &&
         is_qualified_name("requests." + std::string(name));
}

bool is_integer_resource(std::string_view name) {
  return is_among(name, kCounted) || is_extended_resource(name);
}

bool has_fraction(const Quantity& quantity) {
  const int64_t milli = quantity.milli_value();
  return milli != std::numeric_limits<int64_t>::max() &&
         milli != std::numeric_limits<int64_t>::min() && milli % 1000 != 0;
}

bool may_overcommit(std::string_view name) {
  return is_native(name) && !is_huge_pages_resource(name);
}

}  // namespace windlass::api
