// One line on how far the Jobs of `windlass run` are, for a terminal: a bar, the counts, the
// indexes, how long a back-off still lasts, and how long the rest will take. Pure text; see
// live_output.h for where it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace windlass::cli {

struct JobProgress {
  std::optional<int64_t> completions = {};  // none: a work queue
  int64_t succeeded = 0;
  int64_t failed = 0;
  int64_t active = 0;
  int64_t terminating = 0;
  std::string completed_indexes = {};
  std::string failed_indexes = {};
  std::optional<Duration> retry_in = {};
  bool over = false;
};

// At most `columns` characters; "" without Jobs.
std::string progress_text(const std::vector<JobProgress>& jobs, Duration elapsed, size_t columns);

}  // namespace windlass::cli
