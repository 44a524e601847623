// What is wrong with the Jobs of a cluster, by what can be seen from outside. A look at a cluster
// that works always finds something half done; only what two looks agree on is a finding. Pure; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor_facts.h"

namespace windlass::cli {

struct Finding {
  std::string check;   // stuck-pod, counters, unmanaged, two-managers, refused-status
  std::string object;  // pod default/p, job default/j
  std::string what;
  std::string advice;
  // What must not have changed between two looks for the finding to last: a UID, a version.
  std::string stamp;
};

struct DoctorTimes {
  Time now;
  Duration patience = minutes(1);  // things may take this long
};

// In the order of the facts.
std::vector<Finding> examine(const ClusterFacts& facts, const DoctorTimes& times);

// Those of the second look that were there at the first.
std::vector<Finding> lasting(const std::vector<Finding>& first, std::vector<Finding> second);

}  // namespace windlass::cli
