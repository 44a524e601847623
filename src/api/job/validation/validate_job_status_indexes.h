// status.completedIndexes and status.failedIndexes (api.md J137-J139). Asked only when they change.
// Pure; any thread.
#pragma once

#include "api/field_error.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::api {

void validate_status_indexes(FieldErrors& errors, const batch::v1::Job& old_job,
                             const batch::v1::Job& job);

}  // namespace windlass::api
