// Validates a manifest of any kind but Job (api/job/job_manifest.h) as a create request would: pods
// are defaulted and validated in full, other kinds have their metadata validated. Pure.
#pragma once

#include "api/job/job_manifest.h"
#include "api/kind.h"
#include "api/object.h"

namespace windlass::cli {

// Defaults `object` where its kind has defaults. The checks use placeholders for values that only a
// server knows (namespace, the end of a generated name); `object` itself gets none of them.
api::ManifestCheck check_other_kind(const api::Kind& kind, api::Message& object);

}  // namespace windlass::cli
