#include "cli/output/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace windlass::cli {
namespace {

constexpr int64_t kBarWidth = 20;

struct Totals {
  int64_t wanted = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  int64_t active = 0;
  int64_t terminating = 0;
  size_t over = 0;
  bool counted = true;  // every Job has a number of completions
  std::optional<Duration> retry_in;
};

Totals add_up(const std::vector<JobProgress>& jobs) {
  Totals totals;
  for (const JobProgress& job : jobs) {
    totals.wanted += job.completions.value_or(0);
    totals.counted = totals.counted && job.completions.has_value();
    totals.succeeded += job.succeeded;
    totals.failed += job.failed;
    totals.active += job.active;
    totals.terminating += job.terminating;
    totals.over += job.over ? 1 : 0;
    if (job.retry_in && *job.retry_in > Duration::zero()) {
      totals.retry_in = std::min(totals.retry_in.value_or(*job.retry_in), *job.retry_in);
    }
  }
  return totals;
}

std::string bar(int64_t done, int64_t wanted) {
  const int64_t filled = std::clamp<int64_t>(done * kBarWidth / wanted, 0, kBarWidth);
  return "[" + std::string(static_cast<size_t>(filled), '#') +
         std::string(static_cast<size_t>(kBarWidth - filled), '-') + "] ";
}

// From the pace so far; "" where there is none yet, or nothing is left.
std::string time_left(const Totals& totals, Duration elapsed) {
  if (!totals.counted || totals.succeeded == 0 || totals.succeeded >= totals.wanted) {
    return "";
  }
  const double left = std::chrono::duration<double>(elapsed).count() *
                      static_cast<double>(totals.wanted - totals.succeeded) /
                      static_cast<double>(totals.succeeded);
  return fmt::format(", about {} left",
                     format_duration(seconds(std::max<int64_t>(1, static_cast<int64_t>(left)))));
}

std::string indexes_text(const JobProgress& job) {
  std::string text;
  if (!job.completed_indexes.empty()) {
    text += ", indexes done " + job.completed_indexes;
  }
  if (!job.failed_indexes.empty()) {
    text += ", indexes failed " + job.failed_indexes;
  }
  return text;
}

}  // namespace

std::string progress_text(const std::vector<JobProgress>& jobs, Duration elapsed, size_t columns) {
  if (jobs.empty()) {
    return "";
  }
  const Totals totals = add_up(jobs);
  std::string text;
  if (totals.counted && totals.wanted > 0) {
    text += bar(totals.succeeded, totals.wanted);
  }
  if (jobs.size() > 1) {
    text += fmt::format("{} of {} Jobs finished, ", totals.over, jobs.size());
  }
  text += totals.counted ? fmt::format("{}/{} succeeded", totals.succeeded, totals.wanted)
                         : fmt::format("{} succeeded", totals.succeeded);
  text += fmt::format(", {} failed, {} active, {} terminating", totals.failed, totals.active,
                      totals.terminating);
  if (totals.retry_in) {
    text +=
        fmt::format(", retry in {:.1f}s", std::chrono::duration<double>(*totals.retry_in).count());
  }
  text += time_left(totals, elapsed);
  if (jobs.size() == 1) {
    text += indexes_text(jobs.front());
  }
  return text.substr(0, columns);
}

}  // namespace windlass::cli
