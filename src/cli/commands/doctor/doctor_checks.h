// Problems with the Jobs of a cluster that are visible from outside. Something is always half done
// in a healthy cluster; only problems that two examinations agree on are findings. Pure; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/doctor/doctor_facts.h"

namespace windlass::cli {

struct Finding {
  std::string check;   // stuck-pod, counters, unmanaged, two-managers, refused-status
  std::string object;  // pod default/p, job default/j
  std::string what;
  std::string advice;
  // The finding persists only if this is the same in both examinations: a UID, a version.
  std::string stamp;
};

struct DoctorTimes {
  Time now;
  Duration patience = minutes(1);  // delays up to this are no problem
};

// In the order of the facts.
std::vector<Finding> examine(const ClusterFacts& facts, const DoctorTimes& times);

// The findings of the second examination that the first one has, too.
std::vector<Finding> lasting(const std::vector<Finding>& first, std::vector<Finding> second);

}  // namespace windlass::cli
