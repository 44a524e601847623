// What a create would say of a manifest of any kind but Job, which has a file of its own
// (api/job/job_manifest.h): pods are defaulted and validated in full, of all other kinds the
// metadata is. Pure.
#pragma once

#include "api/job/job_manifest.h"
#include "api/kind.h"
#include "api/object.h"

namespace windlass::cli {

// Defaults `object` where its kind has defaults. The checks see it with stand-ins for what only a
// server knows (namespace, the end of a generated name); `object` itself gets none of them.
api::ManifestCheck check_other_kind(const api::Kind& kind, api::Message& object);

}  // namespace windlass::cli
