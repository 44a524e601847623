// What the scheduler keeps of Pod and Node objects. Pure; any thread.
#pragma once

#include "api/object.h"
#include "scheduler/fit.h"

namespace windlass::scheduler {

struct ScheduledPod {
  PodInfo info;
  std::string scheduler_name;
  bool terminal = false;  // its phase is Succeeded or Failed
  bool deleting = false;
  bool gated = false;  // spec.schedulingGates is not empty
};

ScheduledPod read_pod(const api::Message& pod);

// A node that is not Ready counts as tainted not-ready or unreachable, which is what the node
// life-cycle controller writes there (disruption.md N-5).
NodeInfo read_node(const api::Message& node);

}  // namespace windlass::scheduler
