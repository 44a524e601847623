#include "api/job/validation/validate_job_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/index_set.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

using batch::v1::Job;

void validate_format(FieldErrors& errors, const FieldPath& path, std::string_view name,
                     const std::string& text, int32_t completions) {
  const Result<IndexSet> indexes = IndexSet::parse(text, completions);
  if (!indexes) {
    errors.invalid(path, text, fmt::format("error parsing {}: {}", name, indexes.error().message));
  }
}

// The smallest index in both lists. A list that cannot be read overlaps with nothing: its format is
// what is wrong with it.
std::optional<int32_t> first_common(const std::string& a, const std::string& b,
                                    int32_t completions) {
  const Result<IndexSet> left = IndexSet::parse(a, completions);
  const Result<IndexSet> right = IndexSet::parse(b, completions);
  if (!left || !right) {
    return std::nullopt;
  }
  const std::vector<IndexSet::Interval> left_intervals = left->intervals();
  const std::vector<IndexSet::Interval> right_intervals = right->intervals();
  auto l = left_intervals.begin();
  auto r = right_intervals.begin();
  while (l != left_intervals.end() && r != right_intervals.end()) {
    const int32_t first = std::max(l->first, r->first);
    if (first <= std::min(l->last, r->last)) {
      return first;
    }
    if (l->last < r->last) {
      ++l;
    } else {
      ++r;
    }
  }
  return std::nullopt;
}

}  // namespace

void validate_status_indexes(FieldErrors& errors, const Job& old_job, const Job& job) {
  const auto& spec = job.spec();
  const auto& old = old_job.status();
  const auto& now = job.status();
  const bool completed_changed = old.completed_indexes() != now.completed_indexes();
  const bool failed_changed = old.has_failed_indexes() != now.has_failed_indexes() ||
                              old.failed_indexes() != now.failed_indexes();
  const FieldPath completed = FieldPath("status").child("completedIndexes");
  const FieldPath failed = FieldPath("status").child("failedIndexes");

  if (completed_changed && spec.has_completions()) {  // J137
    validate_format(errors, completed, "completedIndexes", now.completed_indexes(),
                    spec.completions());
  }
  if (failed_changed && spec.has_completions() && spec.has_backoff_limit_per_index()) {  // J138
    validate_format(errors, failed, "failedIndexes", now.failed_indexes(), spec.completions());
  }
  if (completed_changed && !now.completed_indexes().empty() && !is_indexed(spec)) {  // J137
    errors.invalid(completed, now.completed_indexes(),
                   "cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (failed_changed && now.has_failed_indexes() && !spec.has_backoff_limit_per_index()) {  // J138
    errors.invalid(failed, now.failed_indexes(),
                   "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if ((completed_changed || failed_changed) && spec.has_completions()) {  // J139
    const std::optional<int32_t> both =
        first_common(now.completed_indexes(), now.failed_indexes(), spec.completions());
    if (both) {
      errors.invalid(failed, now.failed_indexes(),
                     fmt::format("failedIndexes and completedIndexes overlap at index: {}", *both));
    }
  }
}

}  // namespace windlass::api
