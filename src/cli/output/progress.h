// The progress of the Jobs of `windlass run` as a block of lines for a terminal: a bar for each
// Job, its pods by state, why pods wait, the rate, and the time left. Pure text; live_output.h
// shows it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace windlass::cli {

// How fast something grows, over the last samples. The time left is from the same rate, so that the
// two agree.
class Pace {
 public:
  static constexpr Duration kWindow = seconds(30);

  // `done` at `now`; no older than the last one.
  void add(MonotonicTime now, int64_t done);
  // Per second; none without growth in the window.
  std::optional<double> rate() const;

 private:
  // A sample more often would only cost memory.
  static constexpr Duration kBetweenSamples = milliseconds(500);

  std::deque<std::pair<MonotonicTime, int64_t>> samples_;
  std::pair<MonotonicTime, int64_t> last_{};
};

struct JobProgress {
  std::string name = {};
  std::optional<int64_t> completions = {};  // none: a work queue
  int64_t succeeded = 0;
  int64_t failed = 0;                          // pods, as the status counts them
  std::optional<int64_t> failed_indexes = {};  // where the limit is per index
  int64_t running = 0;
  int64_t pending = 0;
  int64_t terminating = 0;
  std::string pending_for = {};           // the reason of most of those that are pending
  std::optional<Duration> retry_in = {};  // the next one
  int64_t retrying = 0;                   // indexes that wait for it or for a later one
  std::optional<double> rate = {};
  std::string verdict = {};  // `Complete`, `Failed: BackoffLimitExceeded`; "" until it has one
};

// The last pod that failed, and the last lines it wrote.
struct LastFailure {
  std::string text = {};
  std::vector<std::string> log = {};
};

// How many failures have a cause.
struct CauseCount {
  int64_t failures = 0;
  std::string title = {};
};

// Room on the terminal.
struct BlockSize {
  size_t columns = 80;
  size_t rows = 24;
  bool colours = false;
};

// Lines of at most `columns`, and no more of them than leave half of the rows to other text. Jobs
// that have not ended come first; a last line counts those that are not shown.
std::vector<std::string> progress_block(const std::vector<JobProgress>& jobs,
                                        const BlockSize& size);
// Likewise; below that block. No lines without a failure.
std::vector<std::string> failure_block(const LastFailure& failure, const BlockSize& size);
// Likewise; the first causes, and how many more there are. No lines without any.
std::vector<std::string> cause_lines(const std::vector<CauseCount>& causes, const BlockSize& size);

}  // namespace windlass::cli
