// Indexes that a Job starts with as completed (job-controller.md 12; api.md J155, J156): an
// annotation of an Indexed Job, which `windlass rerun` sets. Pure; any thread.
#pragma once

#include <string_view>

#include "api/field_error.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::api {

inline constexpr std::string_view kCompletedIndexesAnnotation = "windlass.dev/completed-indexes";
// On the same Job: `<namespace>/<name>/<uid>` of the Job that it reruns.
inline constexpr std::string_view kRerunOfAnnotation = "windlass.dev/rerun-of";

// J155: of a new Job.
void validate_completed_indexes(FieldErrors& errors, const batch::v1::Job& job);
// J156: an update of the Job or of its status. A Job that was stored with a bad list passes while
// its list is unchanged.
void validate_completed_indexes_update(FieldErrors& errors, const batch::v1::Job& old_job,
                                       const batch::v1::Job& job);

}  // namespace windlass::api
