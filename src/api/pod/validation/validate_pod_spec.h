// Validation of pods and pod templates (api.md 2.3). Expects defaults to be set. Appends to
// `errors` in the order of Kubernetes; nothing short-circuits. One subject per file: containers,
// env, volumes, mounts, probes, resources, security, scheduling. Pure; any thread.
#pragma once

#include "api/field_error.h"

namespace windlass::api::core::v1 {
class Pod;
class PodSpec;
class PodTemplateSpec;
}  // namespace windlass::api::core::v1

namespace windlass::api {

// `path` is that of the template. Errors of its labels are at `path`.labels, without `.metadata`
// in between (J60a).
void validate_pod_template_spec(FieldErrors& errors, const FieldPath& path,
                                const core::v1::PodTemplateSpec& pod_template);

// A pod on create: metadata and spec.
void validate_pod(FieldErrors& errors, const core::v1::Pod& pod);

}  // namespace windlass::api
