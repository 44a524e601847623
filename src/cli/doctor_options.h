#pragma once

#include <string>

#include "base/time.h"
#include "cli/cluster_access.h"

namespace windlass::cli {

// `windlass doctor`.
struct DoctorOptions {
  ClusterFlags cluster = {};
  std::string ns = {};             // only here; "": everywhere
  Duration wait = seconds(10);     // between the two looks
  Duration patience = minutes(1);  // what may take this long is not late
  bool json = false;
};

}  // namespace windlass::cli
