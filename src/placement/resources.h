// Amounts of resources, as far as placement compares them: cpu in thousandths, all else in whole
// units. Plain values; sums stop at the largest number instead of wrapping, because requests come
// from users.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace windlass {
class Quantity;
}

namespace windlass::placement {

struct Resources {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
  int64_t ephemeral_storage = 0;
  std::map<std::string, int64_t, std::less<>> extended;

  bool operator==(const Resources&) const = default;
};

// `pods` is none of them.
void set_amount(Resources& resources, const std::string& name, const Quantity& amount);

void add(Resources& to, const Resources& amount);
// Never below zero.
void subtract(Resources& from, const Resources& amount);
// Each resource becomes the larger of the two.
void raise(Resources& to, const Resources& amount);

struct ContainerResourceRequest {
  Resources requests;
  bool sidecar = false;  // an init container with restartPolicy Always
};

// What a pod needs on its node (disruption.md S-10): all containers and sidecars together, or the
// largest step of its initialization if that is more, plus the overhead.
Resources pod_requests(std::span<const ContainerResourceRequest> init_containers,
                       std::span<const ContainerResourceRequest> containers,
                       const Resources& overhead);

}  // namespace windlass::placement
