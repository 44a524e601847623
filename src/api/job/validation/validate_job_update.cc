// What may change in a Job (api.md J100-J108, J156).
#include <string_view>

#include "api/equality.h"
#include "api/job/completed_indexes.h"
#include "api/job/job_constants.h"
#include "api/job/job_policy.h"
#include "api/job/job_status.h"
#include "api/job/validation/validate_job.h"
#include "api/job/validation/validate_job_spec.h"
#include "api/validate_metadata.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

using batch::v1::Job;
using batch::v1::JobSpec;
using core::v1::PodSpec;

constexpr std::string_view kImmutable = "field is immutable";

BadValue number_or_null(bool present, int64_t value) {
  return present ? BadValue::number(value) : BadValue::null();
}

BadValue text_or_null(bool present, const std::string& text) {
  return present ? BadValue(text) : BadValue::null();
}

BadValue message_or_null(bool present, const Message& message) {
  return present ? BadValue::message(message) : BadValue::null();
}

// J102.
void validate_completions(FieldErrors& errors, const JobSpec& old, const JobSpec& spec) {
  const FieldPath path = FieldPath("spec").child("completions");
  const bool same =
      old.has_completions() == spec.has_completions() && old.completions() == spec.completions();
  if (same) {
    return;
  }
  if (!is_indexed(spec)) {
    errors.invalid(path, number_or_null(spec.has_completions(), spec.completions()), kImmutable);
  } else if (spec.has_completions() && spec.completions() != spec.parallelism()) {
    errors.invalid(path, BadValue::number(spec.completions()),
                   "can only be modified in tandem with spec.parallelism");
  }
}

// J105: nothing of the Job runs, and nothing will before it is resumed. The old Job decides, so
// that one request may change the template and resume (J107).
bool is_fully_suspended(const Job& job) {
  return job.spec().suspend() && job.status().active() == 0 &&
         (!job.status().has_start_time() || has_true_condition(job, kJobSuspended));
}

// J104: node affinity is a directive for the scheduler, pod affinity is not.
void take_node_affinity(const PodSpec& from, PodSpec& to) {
  if (from.has_affinity()) {
    if (from.affinity().has_node_affinity()) {
      *to.mutable_affinity()->mutable_node_affinity() = from.affinity().node_affinity();
    } else {
      to.mutable_affinity()->clear_node_affinity();
    }
  } else if (to.has_affinity()) {
    to.mutable_affinity()->clear_node_affinity();
    if (semantically_equal(to.affinity(), core::v1::Affinity::default_instance())) {
      to.clear_affinity();
    }
  }
}

using Containers = google::protobuf::RepeatedPtrField<core::v1::Container>;

// J106: only where the containers are still the same ones.
void take_resources(const Containers& from, Containers& to) {
  if (from.size() != to.size()) {
    return;
  }
  for (int i = 0; i < from.size(); ++i) {
    if (from[i].name() != to[i].name()) {
      return;
    }
  }
  for (int i = 0; i < from.size(); ++i) {
    *to[i].mutable_resources() = from[i].resources();
  }
}

// The old template as it would be with everything taken from the new one that may change.
PodSpec with_mutable_parts_of(const PodSpec& old, const PodSpec& spec) {
  PodSpec expected = old;
  take_node_affinity(spec, expected);
  *expected.mutable_node_selector() = spec.node_selector();
  *expected.mutable_tolerations() = spec.tolerations();
  *expected.mutable_scheduling_gates() = spec.scheduling_gates();
  take_resources(spec.containers(), *expected.mutable_containers());
  take_resources(spec.init_containers(), *expected.mutable_init_containers());
  return expected;
}

// J101, J104-J107.
void validate_template(FieldErrors& errors, const Job& old_job, const JobSpec& spec) {
  const FieldPath path = FieldPath("spec").child("template");
  const auto& old = old_job.spec().template_();
  if (semantically_equal(old, spec.template_())) {
    return;
  }
  if (!is_fully_suspended(old_job)) {
    errors.invalid(path, BadValue::message(spec.template_()), kImmutable);
    return;
  }
  const PodSpec& pod = spec.template_().spec();
  if (!semantically_equal(with_mutable_parts_of(old.spec(), pod), pod)) {
    errors.invalid(path.child("spec"), BadValue::message(pod), kImmutable);
  }
}

bool same_message(bool old_present, const Message& old, bool present, const Message& message) {
  return old_present == present && semantically_equal(old, message);
}

// J101.
void validate_immutable_fields(FieldErrors& errors, const Job& old_job, const JobSpec& spec) {
  const FieldPath path("spec");
  const JobSpec& old = old_job.spec();
  validate_completions(errors, old, spec);
  if (!same_message(old.has_selector(), old.selector(), spec.has_selector(), spec.selector())) {
    errors.invalid(path.child("selector"), message_or_null(spec.has_selector(), spec.selector()),
                   kImmutable);
  }
  validate_template(errors, old_job, spec);
  if (old.has_completion_mode() != spec.has_completion_mode() ||
      old.completion_mode() != spec.completion_mode()) {
    errors.invalid(path.child("completionMode"),
                   text_or_null(spec.has_completion_mode(), spec.completion_mode()), kImmutable);
  }
  if (!same_message(old.has_pod_failure_policy(), old.pod_failure_policy(),
                    spec.has_pod_failure_policy(), spec.pod_failure_policy())) {
    errors.invalid(path.child("podFailurePolicy"),
                   message_or_null(spec.has_pod_failure_policy(), spec.pod_failure_policy()),
                   kImmutable);
  }
  if (old.has_backoff_limit_per_index() != spec.has_backoff_limit_per_index() ||
      old.backoff_limit_per_index() != spec.backoff_limit_per_index()) {
    errors.invalid(
        path.child("backoffLimitPerIndex"),
        number_or_null(spec.has_backoff_limit_per_index(), spec.backoff_limit_per_index()),
        kImmutable);
  }
  if (old.has_managed_by() != spec.has_managed_by() || old.managed_by() != spec.managed_by()) {
    errors.invalid(path.child("managedBy"), text_or_null(spec.has_managed_by(), spec.managed_by()),
                   kImmutable);
  }
  if (!same_message(old.has_success_policy(), old.success_policy(), spec.has_success_policy(),
                    spec.success_policy())) {
    errors.invalid(path.child("successPolicy"),
                   message_or_null(spec.has_success_policy(), spec.success_policy()), kImmutable);
  }
}

}  // namespace

FieldErrors validate_job_update(const Job& old_job, const Job& job) {
  FieldErrors errors;
  const FieldPath metadata("metadata");
  validate_generic_update(errors, metadata, job.metadata(), old_job.metadata(), true);
  validate_whole_job(errors, job);
  validate_object_meta_update(errors, metadata, job.metadata(), old_job.metadata());
  // The second time, so that every spec error is there twice, as in Kubernetes (J100).
  validate_job_spec(errors, FieldPath("spec"), job.spec());
  validate_immutable_fields(errors, old_job, job.spec());
  validate_completed_indexes_update(errors, old_job, job);
  validate_job_policy_update(errors, old_job, job);
  return errors;
}

}  // namespace windlass::api
