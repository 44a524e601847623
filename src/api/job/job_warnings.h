// What a client is warned about although the Job is accepted (api.md J151). Expects defaults.
#pragma once

#include <string>
#include <vector>

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::api {

std::vector<std::string> job_create_warnings(const batch::v1::Job& job);
// Only those about the pod template, and only when the spec changed. Both Jobs have been through
// prepare_job_for_update.
std::vector<std::string> job_update_warnings(const batch::v1::Job& old_job,
                                             const batch::v1::Job& job);

}  // namespace windlass::api
