// Writes an agent's view of a pod's status into the Pod message, beside what others have written
// there (disruption.md K-16, K-39): foreign conditions stay and come first, a terminal phase stays,
// transition times change only with the status, Ready waits for the pod's readiness gates. Pure;
// any thread.
#pragma once

#include <string>

#include "api/object.h"
#include "base/time.h"
#include "node/pod/pod_status.h"

namespace windlass::node {

struct StatusFacts {
  std::string host_ip;
  std::string pod_ip;
  Time now;
  Time start_time;  // used when the pod has none yet (K-20)
};

// True when something changed.
bool apply_status(const PodStatusView& view, const StatusFacts& facts, api::Message& pod);

}  // namespace windlass::node
