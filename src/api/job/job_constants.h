// The words of the batch/v1 Job API (api.md J21, J36, J37): enum values, condition types and
// reasons, and the keys that tie pods to their Job. Constants only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace windlass::api {

// With more completions than this the limits of an Indexed Job are tighter.
inline constexpr int32_t kManyCompletions = 100'000;

inline constexpr std::string_view kNonIndexed = "NonIndexed";
inline constexpr std::string_view kIndexed = "Indexed";

inline constexpr std::string_view kActionCount = "Count";
inline constexpr std::string_view kActionFailIndex = "FailIndex";
inline constexpr std::string_view kActionFailJob = "FailJob";
inline constexpr std::string_view kActionIgnore = "Ignore";

inline constexpr std::string_view kOperatorIn = "In";
inline constexpr std::string_view kOperatorNotIn = "NotIn";

inline constexpr std::string_view kConditionTrue = "True";
inline constexpr std::string_view kConditionFalse = "False";
inline constexpr std::string_view kConditionUnknown = "Unknown";

inline constexpr std::string_view kReplaceTerminatingOrFailed = "TerminatingOrFailed";
inline constexpr std::string_view kReplaceFailed = "Failed";

inline constexpr std::string_view kRestartAlways = "Always";
inline constexpr std::string_view kRestartOnFailure = "OnFailure";
inline constexpr std::string_view kRestartNever = "Never";

inline constexpr std::string_view kJobSuspended = "Suspended";
inline constexpr std::string_view kJobComplete = "Complete";
inline constexpr std::string_view kJobFailed = "Failed";
inline constexpr std::string_view kJobFailureTarget = "FailureTarget";
inline constexpr std::string_view kJobSuccessCriteriaMet = "SuccessCriteriaMet";

// The reasons the Job controller itself gives to conditions.
inline constexpr std::array<std::string_view, 9> kJobReasons = {
    "PodFailurePolicy",         "BackoffLimitExceeded", "DeadlineExceeded",
    "MaxFailedIndexesExceeded", "FailedIndexes",        "SuccessPolicy",
    "CompletionsReached",       "JobSuspended",         "JobResumed",
};
// A FailJob rule's name, or its index, follows this in the reason (KEP-4443).
inline constexpr std::string_view kRuleReasonPrefix = "PodFailurePolicy_";

// A rule's name, or its index, follows this in the reason (job-controller.md 13.4).
inline constexpr std::string_view kRuleBudgetReasonPrefix = "RuleBudgetExceeded_";

inline constexpr std::string_view kLegacyControllerUidLabel = "controller-uid";
inline constexpr std::string_view kLegacyJobNameLabel = "job-name";
inline constexpr std::string_view kControllerUidLabel = "batch.kubernetes.io/controller-uid";
inline constexpr std::string_view kJobNameLabel = "batch.kubernetes.io/job-name";
// A label and an annotation.
inline constexpr std::string_view kCompletionIndexKey = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kIndexFailureCountAnnotation =
    "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIndexIgnoredFailureCountAnnotation =
    "batch.kubernetes.io/job-index-ignored-failure-count";
inline constexpr std::string_view kCronJobTimestampAnnotation =
    "batch.kubernetes.io/cronjob-scheduled-timestamp";
inline constexpr std::string_view kJobTrackingFinalizer = "batch.kubernetes.io/job-tracking";
// spec.managedBy of Jobs that the built-in controller runs.
inline constexpr std::string_view kBuiltInJobController = "kubernetes.io/job-controller";

}  // namespace windlass::api
