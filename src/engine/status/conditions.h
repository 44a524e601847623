// Job conditions: their names, reasons and messages (job-controller.md 8), how one is set, and what
// a stored list of them says about the Job. Pure functions on JobStatus.
#pragma once

#include <string>
#include <string_view>

#include "engine/types.h"

namespace windlass::engine {

inline constexpr std::string_view kTypeSuspended = "Suspended";
inline constexpr std::string_view kTypeComplete = "Complete";
inline constexpr std::string_view kTypeFailed = "Failed";
inline constexpr std::string_view kTypeFailureTarget = "FailureTarget";
inline constexpr std::string_view kTypeSuccessCriteriaMet = "SuccessCriteriaMet";

inline constexpr std::string_view kReasonPodFailurePolicy = "PodFailurePolicy";
inline constexpr std::string_view kReasonBackoffLimit = "BackoffLimitExceeded";
inline constexpr std::string_view kReasonRuleBudget = "RuleBudgetExceeded";
inline constexpr std::string_view kReasonDeadline = "DeadlineExceeded";
inline constexpr std::string_view kReasonMaxFailedIndexes = "MaxFailedIndexesExceeded";
inline constexpr std::string_view kReasonFailedIndexes = "FailedIndexes";
inline constexpr std::string_view kReasonSuccessPolicy = "SuccessPolicy";
inline constexpr std::string_view kReasonCompletions = "CompletionsReached";

// The last condition of this type with status True, or null. Upstream takes the first entry of a
// type; a list with a False entry before the True one (10.60) must not hide the verdict.
const Condition* true_condition(const JobStatus& status, std::string_view type);
bool has_true(const JobStatus& status, std::string_view type);
// 0.23.
bool is_finished(const JobStatus& status);

// 2.52: replaces in place when it differs; appends when missing, unless it would be False. Several
// entries of one type become one. Answers whether anything changed.
bool set_condition(JobStatus& status, std::string_view type, ConditionStatus value,
                   std::string_view reason, std::string_view message, Time now);

// The label of jobs_finished_total: bounded, whatever name a rule has or whatever was set by hand
// (6.24, 8.7).
std::string_view finished_reason_label(std::string_view reason);

}  // namespace windlass::engine
