#include "engine/policy/backoff.h"

#include <algorithm>
#include <map>
#include <utility>

namespace windlass::engine {
namespace {

// Latest end of the containers that keep a pod running; none if one of them still runs (10.65).
std::optional<Time> containers_finished(const PodView& pod) {
  std::optional<Time> latest;
  for (const ContainerView& container : pod.containers) {
    if (container.init && !container.sidecar) {
      continue;
    }
    if (!container.terminated || !container.finished_at) {
      return std::nullopt;
    }
    latest = latest ? std::max(*latest, *container.finished_at) : *container.finished_at;
  }
  return latest;
}

// When the pod was last seen to lose its readiness, or was marked to be ended. Pod GC stores Failed
// with the mark before it deletes a pod of a lost node, and no container ends in that status.
std::optional<Time> stopped_at(const PodView& pod) {
  std::optional<Time> latest;
  for (const PodCondition& condition : pod.conditions) {
    const bool tells =
        (condition.type == "Ready" && condition.status == ConditionStatus::is_false) ||
        (condition.type == "DisruptionTarget" && condition.status == ConditionStatus::is_true);
    if (tells && condition.last_transition) {
      latest = std::max(latest.value_or(*condition.last_transition), *condition.last_transition);
    }
  }
  return latest;
}

// 7.7: a failure at the very time of the success does not count.
bool is_after(Time failure, Time success) {
  return std::chrono::floor<seconds>(failure) > std::chrono::floor<seconds>(success);
}

}  // namespace

Duration backoff_delay(int64_t failures, Duration base, Duration cap) {
  if (failures <= 0) {
    return Duration::zero();
  }
  Duration delay = base;
  for (int64_t i = 1; i < failures && delay < cap; ++i) {
    delay *= 2;
  }
  return std::min(delay, cap);
}

Duration backoff_delay(int64_t failures, const Options& options) {
  return backoff_delay(failures, options.backoff_base, options.backoff_cap);
}

Time finish_time(const PodView& pod) {
  if (const auto finished = containers_finished(pod)) {
    return *finished;
  }
  if (const auto stopped = stopped_at(pod)) {
    return *stopped;
  }
  if (pod.deletion_time) {
    // A hostile grace period must not move the time out of what a Time can hold.
    constexpr int64_t kMaxGraceSeconds = 10LL * 365 * 24 * 3600;
    const int64_t grace = std::clamp<int64_t>(pod.deletion_grace_seconds, 0, kMaxGraceSeconds);
    return *pod.deletion_time - seconds(grace);
  }
  return pod.created;
}

void BackoffRecord::add_success(Time finished) {
  if (last_success_ && *last_success_ >= finished) {
    return;
  }
  last_success_ = finished;
  std::erase_if(failures_, [finished](Time failure) { return !is_after(failure, finished); });
}

void BackoffRecord::add_failure(Time finished) {
  if (last_success_ && !is_after(finished, *last_success_)) {
    return;
  }
  failures_.insert(std::upper_bound(failures_.begin(), failures_.end(), finished), finished);
  if (failures_.size() > kMaxBackoffFailures) {
    failures_.erase(failures_.begin());
  }
}

void BackoffRecord::add_failures(const BackoffRecord& other, bool is_finer) {
  // What ended in one second may be the same, and is told by either with a fraction of its own.
  std::map<Time, std::pair<std::vector<Time>, std::vector<Time>>> by_second;
  for (const Time failure : failures_) {
    by_second[std::chrono::floor<seconds>(failure)].first.push_back(failure);
  }
  for (const Time failure : other.failures_) {
    if (!last_success_ || is_after(failure, *last_success_)) {
      by_second[std::chrono::floor<seconds>(failure)].second.push_back(failure);
    }
  }
  failures_.clear();
  for (const auto& [second, known] : by_second) {
    const auto& [mine, others] = known;
    const bool later = is_finer || others > mine;  // compared from the first one on
    const bool takes = others.size() > mine.size() || (others.size() == mine.size() && later);
    const std::vector<Time>& all = takes ? others : mine;
    failures_.insert(failures_.end(), all.begin(), all.end());
  }
  if (failures_.size() > kMaxBackoffFailures) {
    failures_.erase(failures_.begin(),
                    failures_.end() - static_cast<ptrdiff_t>(kMaxBackoffFailures));
  }
}

Time BackoffRecord::ready_at(const Options& options) const {
  return failures_.empty() ? Time() : failures_.back() + backoff_delay(failures(), options);
}

}  // namespace windlass::engine
