// One line about the progress of the Jobs of `windlass run`, for a terminal: a bar, the counts, the
// indexes, the time to the next retry, and an estimate of the time left. Pure text; live_output.h
// shows it.
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
