// Names of resources that containers ask for: cpu, memory, hugepages-2Mi, example.com/gpu.
#pragma once

#include <string_view>

namespace windlass {
class Quantity;
}

namespace windlass::api {

// cpu, memory, ephemeral-storage, hugepages-*: what a container may ask for by a short name.
bool is_standard_container_resource(std::string_view name);
// What a pod may ask for as a whole: cpu, memory, hugepages-*.
bool is_pod_level_resource(std::string_view name);
// Also names that only quotas use (requests.cpu, pods, ...).
bool is_standard_resource(std::string_view name);
bool is_huge_pages_resource(std::string_view name);
// A name with a domain that is not kubernetes.io: whole numbers, never more promised than there is.
bool is_extended_resource(std::string_view name);
// Whole numbers only: extended resources, and what is counted, such as pods.
bool is_integer_resource(std::string_view name);
// Thousandths that are no whole number. What is too large to be counted in thousandths has none.
bool has_fraction(const Quantity& quantity);
// Requests may be less than limits.
bool may_overcommit(std::string_view name);

}  // namespace windlass::api
