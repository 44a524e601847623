// Which waiting pods a change of the cluster could help (disruption.md S-5, S-9): wakes those, and
// no others, because every attempt that fails again costs a look at all nodes.
//
// Owned by the scheduler, on its executor. Call it after the change is in the cluster.
#pragma once

#include <string>

#include "scheduler/cluster/nominations.h"
#include "scheduler/placer.h"
#include "scheduler/queue.h"

namespace windlass::scheduler {

class PodWaker {
 public:
  PodWaker(SchedulingQueue& queue, const Placer& placer, const Nominations& nominations)
      : queue_(queue), placer_(placer), nominations_(nominations) {}

  // A pod got its node, or the labels of one with a node or of a namespace changed.
  void on_labels_changed();
  // A pod left the node, or will not come to it.
  void on_room_freed(const std::string& node);
  // A pod that was to get room on a node is gone or has given it up.
  void on_nomination_gone(const PodInfo& pod);
  void on_node_changed(const std::string& node);
  void on_node_gone(const std::string& node);

 private:
  void wake_nominated_in_vain(const std::string& node);

  SchedulingQueue& queue_;
  const Placer& placer_;
  const Nominations& nominations_;
};

}  // namespace windlass::scheduler
