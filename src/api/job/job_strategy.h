// What the API server itself writes into a Job before it validates one (api.md 1.4, J109, J120).
// Pure functions on messages; time and identity come from the caller. Any thread.
//
//   create:  default_job_spec, prepare_job_for_create, validate_job_create
//   update:  default_job, prepare_job_for_update, validate_job_update
//   status:  default_job, prepare_job_for_status_update, validate_job_status_update
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/feature_gates.h"
#include "base/time.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::api {

struct NewObject {
  std::string_view uid;
  Time now;
};

// Sets fields to absent whose gate is off (J54). `old_job` is null on create; on update a field
// that the old Job uses stays. Part of default_job_spec and of both functions below.
void drop_disabled_job_fields(batch::v1::Job& job, const batch::v1::Job* old_job,
                              const FeatureGates& gates);

// J51, J52 and the labels of J43. The Job has its name (generated if need be) and its defaults.
void prepare_job_for_create(batch::v1::Job& job, const NewObject& created,
                            const FeatureGates& gates);

// J109: status, generation and creation time are the old Job's; generation grows when the spec says
// something else than before.
void prepare_job_for_update(const batch::v1::Job& old_job, batch::v1::Job& job,
                            const FeatureGates& gates);

// J120: of the request only status, labels, annotations, finalizers and owner references count.
// resourceVersion and managedFields are left as they are: they belong to the server's own checks.
void prepare_job_for_status_update(const batch::v1::Job& old_job, batch::v1::Job& job);

// What a client is warned about although the Job is accepted (api.md J151). Expects defaults.
std::vector<std::string> job_create_warnings(const batch::v1::Job& job);
// Only those about the pod template, and only when the spec changed. Both Jobs have been through
// prepare_job_for_update.
std::vector<std::string> job_update_warnings(const batch::v1::Job& old_job,
                                             const batch::v1::Job& job);

}  // namespace windlass::api
