// The parts of a Job's validation, each in its own .cc file (see validate_job.h). They append to
// `errors`; `path` is where the subject lives. Pure; any thread.
#pragma once

#include "api/field_error.h"

namespace windlass::api::batch::v1 {
class Job;
class JobSpec;
class PodFailurePolicy;
}  // namespace windlass::api::batch::v1

namespace windlass::api {

// J61-J91, J94: all of spec.
void validate_job_spec(FieldErrors& errors, const FieldPath& path, const batch::v1::JobSpec& spec);

// J81-J88.
void validate_pod_failure_policy(FieldErrors& errors, const FieldPath& path,
                                 const batch::v1::JobSpec& spec);
// J74-J79.
void validate_success_policy(FieldErrors& errors, const FieldPath& path,
                             const batch::v1::JobSpec& spec);
// J90, J91.
void validate_job_selector(FieldErrors& errors, const FieldPath& path,
                           const batch::v1::JobSpec& spec);
// J92.
void validate_generated_selector(FieldErrors& errors, const batch::v1::Job& job);
// J93.
void validate_indexed_job_name(FieldErrors& errors, const batch::v1::Job& job);
// Everything of J60-J94.
void validate_whole_job(FieldErrors& errors, const batch::v1::Job& job);

// J61's text, shared by spec and status.
void validate_non_negative(FieldErrors& errors, const FieldPath& path, int64_t value);

bool is_indexed(const batch::v1::JobSpec& spec);

// The names of pod failure policy rules (KEP-4443, "Validation"; api.md J88). A FailJob rule's name
// becomes the end of the Job's failure reason, `PodFailurePolicy_<name>`, so it must make a valid
// reason that tells one rule from another. Pure; any thread.
void validate_rule_names(FieldErrors& errors, const FieldPath& rules,
                         const batch::v1::PodFailurePolicy& policy);

// status.completedIndexes and status.failedIndexes (api.md J137-J139). Asked only when they change.
// Pure; any thread.
void validate_status_indexes(FieldErrors& errors, const batch::v1::Job& old_job,
                             const batch::v1::Job& job);

}  // namespace windlass::api
