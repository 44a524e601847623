// How a Job's pod differs from the Job's template (job-controller.md 4). Pure functions: the shell
// copies the template and applies the plan; the template itself never comes here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/types.h"

namespace windlass::engine {

inline constexpr std::string_view kIndexEnvName = "JOB_COMPLETION_INDEX";
inline constexpr std::string_view kIndexEnvFieldPath =
    "metadata.labels['batch.kubernetes.io/job-completion-index']";
inline constexpr int64_t kNoIndex = -1;
// 63, a DNS label, less the random characters that the server appends (4.4).
inline constexpr size_t kSuffixLength = 5;
inline constexpr size_t kMaxGenerateName = 63 - kSuffixLength;

struct PodPlan {
  int64_t index = kNoIndex;
  std::string generate_name;
  std::string hostname;  // empty: leave the template's
  // To add. The keys are constants of types.h.
  std::vector<std::pair<std::string_view, std::string>> labels;
  std::vector<std::pair<std::string_view, std::string>> annotations;
  // Append kIndexEnvName to every container and init container that does not define it (4.11).
  bool add_index_env = false;
};

struct IndexFailures {
  int32_t counted = 0;
  int32_t ignored = 0;

  bool operator==(const IndexFailures&) const = default;
};

PodPlan plan_pod(std::string_view job_name);
PodPlan plan_indexed_pod(std::string_view job_name, int64_t index);
// With backoffLimitPerIndex: the failures so far travel with the new pod (4.9).
void annotate_failures(PodPlan& plan, IndexFailures failures);

std::string generate_name(std::string_view job_name, int64_t index);

// 0.28: a decimal that is not negative; anything else is kNoIndex.
int64_t parse_index(const std::optional<std::string>& annotation);
// 4.13: missing, unparsable, negative or above 2^31-1 is 0.
int32_t parse_failure_count(const std::optional<std::string>& annotation);
// Saturates: a hostile 2147483647 must not wrap around (10.68).
int32_t next_count(int32_t count);

}  // namespace windlass::engine
