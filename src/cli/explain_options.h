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
  // Those of the Job's controller, which are not in the Job. Nothing: as the server says, or
  // Kubernetes' own where it does not.
  std::optional<Duration> backoff_base;
  std::optional<Duration> backoff_cap;
};

}  // namespace windlass::cli
