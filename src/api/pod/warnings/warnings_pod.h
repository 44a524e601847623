// Warnings about pods and pod templates that are accepted all the same (api.md J151, P22): the
// texts that a client sees in Warning headers. Expects defaults to be set. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "api/field_error.h"

namespace windlass::api::core::v1 {
class Pod;
class PodTemplateSpec;
}  // namespace windlass::api::core::v1

namespace windlass::api {

std::vector<std::string> pod_warnings(const core::v1::Pod& pod);
// `path` is that of the template: spec.template in a Job.
std::vector<std::string> pod_template_warnings(const FieldPath& path,
                                               const core::v1::PodTemplateSpec& pod_template);

}  // namespace windlass::api
