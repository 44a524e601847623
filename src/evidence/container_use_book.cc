#include "evidence/container_use_book.h"

#include <algorithm>

namespace windlass::evidence {
namespace {

int64_t bounded(uint64_t value) {
  return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX / 2));
}

}  // namespace

void ContainerUseBook::add(const std::string& pod_uid, const std::string& container,
                           const env::ContainerExit& exit) {
  if (!exit.peak_memory_bytes && !exit.cpu_microseconds) {
    return;
  }
  const auto [pod, is_new] = pods_.try_emplace(pod_uid);
  ContainerUsage& usage = pod->second[container];
  if (exit.peak_memory_bytes) {
    usage.peak_memory_bytes =
        std::max(usage.peak_memory_bytes.value_or(0), bounded(*exit.peak_memory_bytes));
  }
  if (exit.cpu_microseconds) {
    usage.cpu_microseconds = bounded(static_cast<uint64_t>(usage.cpu_microseconds.value_or(0)) +
                                     static_cast<uint64_t>(bounded(*exit.cpu_microseconds)));
  }
  if (is_new) {
    order_.push_back(pod_uid);
    if (order_.size() > kMaxPods) {
      pods_.erase(order_.front());
      order_.pop_front();
    }
  }
}

std::optional<ContainerUsage> ContainerUseBook::find(const std::string& pod_uid,
                                                     const std::string& container) const {
  const auto pod = pods_.find(pod_uid);
  if (pod == pods_.end()) {
    return std::nullopt;
  }
  const auto found = pod->second.find(container);
  return found == pod->second.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace windlass::evidence
