// The defaults of pods and pod templates (api.md 2.2, P10-P18). Changes the object in place, once
// or any number of times with the same result. Pure; any thread.
#pragma once

namespace windlass::api::core::v1 {
class Pod;
class PodTemplateSpec;
}  // namespace windlass::api::core::v1

namespace windlass::api {

void default_pod(core::v1::Pod& pod);
// Without what only pods get: requests from limits, enableServiceLinks, host ports (J49).
void default_pod_template(core::v1::PodTemplateSpec& pod_template);

}  // namespace windlass::api
