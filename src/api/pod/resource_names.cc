#include "api/pod/resource_names.h"

#include <algorithm>
#include <string>

#include "api/names.h"

namespace windlass::api {
namespace {

constexpr std::string_view kOtherStandard[] = {
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
};

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
         std::find(std::begin(kOtherStandard), std::end(kOtherStandard), name) !=
             std::end(kOtherStandard);
}

bool is_extended_resource(std::string_view name) {
  // The name must still be one when a quota puts "requests." before it.
  return !is_native(name) && !name.starts_with("requests.") &&
         is_qualified_name("requests." + std::string(name));
}

bool may_overcommit(std::string_view name) {
  return is_native(name) && !is_huge_pages_resource(name);
}

}  // namespace windlass::api
