#include "scheduler/pod_waker.h"

#include "scheduler/fit.h"

namespace windlass::scheduler {
namespace {

constexpr uint64_t kAroundReasons = bit(Reason::spread) | bit(Reason::spread_label) |
                                    bit(Reason::pod_affinity) | bit(Reason::pod_anti_affinity) |
                                    bit(Reason::existing_anti_affinity);
constexpr uint64_t kSpreadReasons = bit(Reason::spread) | bit(Reason::spread_label);
constexpr uint64_t kNodeReasons = bit(Reason::asks_too_much) | bit(Reason::unschedulable) |
                                  bit(Reason::taint) | bit(Reason::node_affinity);

// Room on a node is what it lacks.
bool lacks_room(uint64_t reasons) {
  return (reasons & ~(kNodeReasons | kAroundReasons)) != 0;
}

}  // namespace

void PodWaker::on_labels_changed() {
  queue_.wake([](const PodInfo&, uint64_t reasons) { return (reasons & kAroundReasons) != 0; });
}

void PodWaker::on_room_freed(const std::string& node) {
  queue_.wake([this, &node](const PodInfo& waiting, uint64_t reasons) {
    return (reasons & kAroundReasons) != 0 ||
           (lacks_room(reasons) && !placer_.fit_locally_on(*waiting.shape, node).hopeless);
  });
}

// S-9
void PodWaker::on_nomination_gone(const PodInfo& pod) {
  queue_.wake([priority = pod.priority()](const PodInfo& waiting, uint64_t) {
    return waiting.priority() <= priority;
  });
}

// S-5a: a node that could not take the pod whichever pod left wakes none.
void PodWaker::on_node_changed(const std::string& node) {
  queue_.wake([this, &node](const PodInfo& waiting, uint64_t reasons) {
    return reasons == 0 || (reasons & kSpreadReasons) != 0 ||
           !placer_.fit_locally_on(*waiting.shape, node).hopeless;
  });
  wake_nominated_in_vain(node);
}

void PodWaker::on_node_gone(const std::string& node) {
  queue_.wake([](const PodInfo&, uint64_t reasons) { return (reasons & kSpreadReasons) != 0; });
  wake_nominated_in_vain(node);
}

// P-3: a pod that waits for room on a node that can no longer take it may make room on another.
void PodWaker::wake_nominated_in_vain(const std::string& node) {
  const auto* nominated = nominations_.at(node);
  if (nominated == nullptr) {
    return;
  }
  for (const auto& [uid, pod] : *nominated) {
    QueuedPod* queued = queue_.find(uid);
    if (queued != nullptr && placer_.fit_locally_on(*pod->shape, node).hopeless) {
      queue_.wake(*queued);
    }
  }
}

}  // namespace windlass::scheduler
