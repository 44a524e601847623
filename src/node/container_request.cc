#include "node/container_request.h"

namespace windlass::node {
namespace {

constexpr int64_t kMilli = 1000;
constexpr size_t kMaxHostname = 63;

uint64_t amount(const MilliAmounts& amounts, std::string_view name, int64_t unit) {
  const auto found = amounts.find(name);
  return found == amounts.end() || found->second <= 0 ? 0
                                                      : static_cast<uint64_t>(found->second / unit);
}

std::string short_hostname(const std::string& name) {
  const std::string cut = name.substr(0, kMaxHostname);
  const size_t last = cut.find_last_not_of("-.");
  return last == std::string::npos ? "" : cut.substr(0, last + 1);
}

}  // namespace

env::ContainerRequest make_request(const PodPlan& pod, const ContainerPlan& container,
                                   const ContainerCommand& command, const ContainerPlace& place,
                                   const env::ContainerSupport& support) {
  env::ContainerRequest request;
  request.id = place.id;
  request.command = command.command;
  request.environment = command.environment;
  request.log_path = place.log_path;
  request.working_directory =
      container.working_dir.empty() ? place.work_dir : container.working_dir;
  request.isolation.hostname = short_hostname(pod.hostname);
  if (support.mounts) {
    // It may be below /tmp, of which the container has its own.
    request.isolation.mounts.push_back(
        {env::ContainerMount::Kind::bind, place.work_dir, place.work_dir, false, 0});
  }
  request.limits.memory_bytes = amount(container.limits, "memory", kMilli);
  request.limits.cpu_millis = amount(container.limits, "cpu", 1);
  request.limits.cpu_request = amount(container.requests, "cpu", 1);
  return request;
}

}  // namespace windlass::node
