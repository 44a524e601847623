// A Job as its author wrote it, checked without an API server: what would a create say? Pure; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "api/field_error.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::api {

struct ManifestCheck {
  FieldErrors errors;
  std::vector<std::string> warnings;
};

// Gives `job` its defaults and checks what a create would make of it. The checks see the Job with
// stand-ins for what only a server knows (uid, time, namespace, the end of a generated name); `job`
// itself gets none of them, so that it can be shown to its author, and creating what is shown gives
// the same Job. So it also gets no labels from its template: those come with the generated ones or
// not at all (J43).
ManifestCheck check_job_manifest(batch::v1::Job& job, const FeatureGates& gates);

}  // namespace windlass::api
