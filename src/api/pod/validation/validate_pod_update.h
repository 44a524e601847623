// What an update may change of a pod (api.md P50-P52, P60-P62, P75). Pure; any thread.
#pragma once

#include "api/field_error.h"

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::api {

// PUT and PATCH of the pod. `pod` already has the status of `old`. Includes the metadata checks,
// in both of their runs (J100).
void validate_pod_update(FieldErrors& errors, const core::v1::Pod& pod, const core::v1::Pod& old);

// PUT and PATCH of its status. `pod` already has the spec of `old`.
void validate_pod_status_update(FieldErrors& errors, const core::v1::Pod& pod,
                                const core::v1::Pod& old);

}  // namespace windlass::api
