// What became of a Job, as far as it must be the same everywhere: no times, no names of pods.
#pragma once

#include <memory>
#include <string>

#include "cluster/scenario.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::cluster_tests {

// The whole Job of a scenario; `manager` is its spec.managedBy, "" for none.
std::shared_ptr<api::batch::v1::Job> job_of(const Scenario& scenario, const std::string& ns,
                                            const std::string& name, const std::string& manager);

bool is_over(const api::batch::v1::Job& job);

// `FailureTarget=True PodFailurePolicy, Failed=True PodFailurePolicy; active 0, failed 1, ...`
std::string outcome_of(const api::batch::v1::Job& job);

// What is not as the scenario says; "" when all is well.
std::string mistakes_in(const Scenario& scenario, const api::batch::v1::Job& job);

}  // namespace windlass::cluster_tests
