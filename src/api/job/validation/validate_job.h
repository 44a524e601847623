// What makes a Job acceptable, with the texts of Kubernetes (api.md 1.5-1.7). Every function works
// on Jobs that have their defaults (default_job.h) and went through job_strategy.h. Errors are
// collected, in Kubernetes' order; nothing stops at the first. Pure; any thread.
//
// One subject per file: validate_job_spec, _failure_policy, _success_policy, _selector, _update,
// _status; the pod template is validate_pod_spec's.
#pragma once

#include "api/field_error.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::api {

// J60-J94, J155.
FieldErrors validate_job_create(const batch::v1::Job& job);

// J100-J108, J156.
FieldErrors validate_job_update(const batch::v1::Job& old_job, const batch::v1::Job& job);

// J121-J142a, J156. Only statuses and metadata are looked at, and the old Job's spec where a rule
// needs it. The Job controller's tests use it too: no status that this refuses may ever be sent.
FieldErrors validate_job_status_update(const batch::v1::Job& old_job, const batch::v1::Job& job);

}  // namespace windlass::api
