// For tests only: Jobs to begin with, the way of a request through defaults, preparation and
// validation, and error texts to compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/feature_gates.h"
#include "api/field_error.h"
#include "api/job/default_job.h"
#include "api/job/job_strategy.h"
#include "api/job/validation/validate_job.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api::testing {

using batch::v1::Job;
using Texts = std::vector<std::string>;

inline constexpr std::string_view kUid = "1a2b3c4d-0000-4000-8000-000000000001";
inline constexpr int64_t kCreated = 1'700'000'000;

// As short as a user can write one.
inline Job minimal_job() {
  Job job;
  job.mutable_metadata()->set_name("myjob");
  job.mutable_metadata()->set_namespace_("default");
  auto& pod = *job.mutable_spec()->mutable_template_()->mutable_spec();
  pod.set_restart_policy("Never");
  auto& container = *pod.add_containers();
  container.set_name("main");
  container.set_image("busybox:1.36");
  return job;
}

inline Job indexed_job(int32_t completions = 10) {
  Job job = minimal_job();
  job.mutable_spec()->set_completion_mode("Indexed");
  job.mutable_spec()->set_completions(completions);
  return job;
}

inline batch::v1::PodFailurePolicyRule& add_rule(Job& job, std::string_view action) {
  auto& added = *job.mutable_spec()->mutable_pod_failure_policy()->add_rules();
  added.set_action(std::string(action));
  return added;
}

inline batch::v1::PodFailurePolicyRule& add_exit_code_rule(Job& job, std::string_view action,
                                                           std::string_view op = "In",
                                                           const std::vector<int32_t>& values = {
                                                               42}) {
  auto& added = add_rule(job, action);
  added.mutable_on_exit_codes()->set_operator_(std::string(op));
  for (const int32_t value : values) {
    added.mutable_on_exit_codes()->add_values(value);
  }
  return added;
}

inline batch::v1::JobCondition& set_condition(Job& job, std::string_view kind,
                                              std::string_view status = "True") {
  for (auto& condition : *job.mutable_status()->mutable_conditions()) {
    if (condition.type() == kind) {
      condition.set_status(std::string(status));
      return condition;
    }
  }
  auto& condition = *job.mutable_status()->add_conditions();
  condition.set_type(std::string(kind));
  condition.set_status(std::string(status));
  return condition;
}

inline std::string& label(Job& job, std::string_view key) {
  return (
      *job.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels())[std::string(
      key)];
}

// What a create stores.
inline Job created(Job job, const FeatureGates& gates = {}) {
  default_job_spec(job, gates);
  prepare_job_for_create(job, {kUid, time_from_unix(kCreated)}, gates);
  return job;
}

// What an update of `old_job` with `job` stores.
inline Job updated(const Job& old_job, Job job, const FeatureGates& gates = {}) {
  default_job(job, gates);
  prepare_job_for_update(old_job, job, gates);
  return job;
}

inline Texts texts(const FieldErrors& errors) {
  Texts out;
  for (const FieldError& error : errors.all()) {
    out.push_back(error.text());
  }
  return out;
}

inline Texts create_errors(const Job& job) {
  return texts(validate_job_create(created(job)));
}

inline Texts update_errors(const Job& old_job, const Job& job) {
  return texts(validate_job_update(old_job, updated(old_job, job)));
}

inline Texts status_errors(const Job& old_job, const Job& job) {
  return texts(validate_job_status_update(old_job, job));
}

inline Texts twice(const Texts& once) {
  Texts out = once;
  out.insert(out.end(), once.begin(), once.end());
  return out;
}

}  // namespace windlass::api::testing
