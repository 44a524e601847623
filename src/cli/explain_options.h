// What `windlass explain` is asked. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "cli/cluster_access.h"

namespace windlass::cli {

struct ExplainOptions {
  ClusterFlags cluster;
  std::string ns;   // "": the context's
  std::string job;  // its name
  std::optional<int64_t> index;
  bool json = false;
  int64_t log_lines = 10;
  // Those of the Job's controller, which are not in the Job.
  Duration backoff_base = seconds(10);
  Duration backoff_cap = minutes(10);
};

}  // namespace windlass::cli
