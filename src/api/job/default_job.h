// What a Job means where its author said nothing (api.md J40-J50). Pure; any thread. Applied to a
// Job that was just decoded: from a create, an update, the result of a patch, or from storage.
#pragma once

#include "api/feature_gates.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::api {

// Everything, for a Job that has its generated labels: updates, patches, stored Jobs.
void default_job(batch::v1::Job& job, const FeatureGates& gates);

// For a Job that is about to be created. Fields whose gate is off are dropped first (J54), so that
// no default follows them. The labels are left to prepare_job_for_create, because a Job without
// labels of its own also gets the generated ones (J43).
void default_job_spec(batch::v1::Job& job, const FeatureGates& gates);

// J43 alone.
void default_job_labels(batch::v1::Job& job);

}  // namespace windlass::api
