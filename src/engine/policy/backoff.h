// How long to wait before a failed pod is replaced (job-controller.md 7). BackoffRecord is the
// memory of the whole Job; per index the same arithmetic is applied to the pod that is kept for its
// index. Values only: where the record is stored is record.h's business.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "engine/types.h"

namespace windlass::engine {

// Enough doublings to get from any sensible base to any sensible cap.
inline constexpr size_t kMaxBackoffFailures = 32;

// 7.1: min(base * 2^(failures-1), cap); none for no failure; never overflows.
Duration backoff_delay(int64_t failures, const Options& options);
Duration backoff_delay(int64_t failures, Duration base, Duration cap);

// 7.3: when the pod finished, from the first source that knows: its containers, its Ready condition
// or its DisruptionTarget, its deletion, its creation. Never "now".
Time finish_time(const PodView& pod);

// The failures that finished after the last success, newest kMaxBackoffFailures of them. A set and
// a maximum, so the order in which outcomes are heard of does not matter (unlike
// upstream, 7.6, 7.7). Times are the latest that a finish time may stand for (base/whole_second.h);
// which of two came first is judged by the second, as the API has it.
class BackoffRecord {
 public:
  void add_success(Time finished);
  void add_failure(Time finished);
  // Those of another record of the same Job: what both have counts once, as the later of the two
  // has it, or as the other has it when that is finer.
  void add_failures(const BackoffRecord& other, bool is_finer = false);

  int64_t failures() const { return static_cast<int64_t>(failures_.size()); }
  // When a replacement may be created; the epoch when nothing stands against it.
  Time ready_at(const Options& options) const;

  std::optional<Time> last_success() const { return last_success_; }
  const std::vector<Time>& failure_times() const { return failures_; }  // ascending

  bool operator==(const BackoffRecord&) const = default;

 private:
  std::optional<Time> last_success_;
  std::vector<Time> failures_;
};

}  // namespace windlass::engine
