// What a Job's status may say, and what it may not take back (api.md J121-J142a, J156). Most rules
// are asked only when what they are about changes, so that a Job stored with a bad status can still
// be written. Kubernetes has the strict rules behind the gate JobManagedBy; here they always hold.
// The order is Kubernetes': J121, the rules about changes (startTime first), then those that always
// hold.
#include <fmt/format.h>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/json/json_scalars.h"
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
using batch::v1::JobStatus;

// Any moment that the API can hold, also one outside of our own Time.
std::pair<int64_t, int32_t> moment(const meta::v1::Time& time) {
  return {time.seconds(), time.nanos()};
}

bool differ(bool old_present, const meta::v1::Time& old, bool present, const meta::v1::Time& time) {
  return old_present != present || moment(old) != moment(time);
}

BadValue time_value(const meta::v1::Time& time) {
  std::string text;
  append_scalar_message(JsonKind::time, time, text);
  return BadValue::json(std::move(text));
}

// What an update of the status changes.
struct StatusChange {
  StatusChange(const Job& old_job, const Job& new_job);

  const Job& job;
  const JobStatus& old;
  const JobStatus& now;
  bool complete, failed, failure_target, success;  // what the Job is now
  bool finished;
  bool complete_changed, failed_changed, failure_target_changed, success_changed;
  bool finished_changed;
  bool start_time_changed, completion_time_changed;
  bool active_changed, ready_changed, terminating_changed, uncounted_changed;
  bool failed_indexes_changed;
};

StatusChange::StatusChange(const Job& old_job, const Job& new_job)
    : job(new_job),
      old(old_job.status()),
      now(new_job.status()),
      complete(has_true_condition(new_job, kJobComplete)),
      failed(has_true_condition(new_job, kJobFailed)),
      failure_target(has_true_condition(new_job, kJobFailureTarget)),
      success(has_true_condition(new_job, kJobSuccessCriteriaMet)),
      finished(complete || failed),
      complete_changed(complete != has_true_condition(old_job, kJobComplete)),
      failed_changed(failed != has_true_condition(old_job, kJobFailed)),
      failure_target_changed(failure_target != has_true_condition(old_job, kJobFailureTarget)),
      success_changed(success != has_true_condition(old_job, kJobSuccessCriteriaMet)),
      finished_changed(finished != is_finished(old_job)),
      start_time_changed(
          differ(old.has_start_time(), old.start_time(), now.has_start_time(), now.start_time())),
      completion_time_changed(differ(old.has_completion_time(), old.completion_time(),
                                     now.has_completion_time(), now.completion_time())),
      active_changed(old.active() != now.active()),
      ready_changed(old.has_ready() != now.has_ready() || old.ready() != now.ready()),
      terminating_changed(old.has_terminating() != now.has_terminating() ||
                          old.terminating() != now.terminating()),
      uncounted_changed(
          old.has_uncounted_terminated_pods() != now.has_uncounted_terminated_pods() ||
          !semantically_equal(old.uncounted_terminated_pods(), now.uncounted_terminated_pods())),
      failed_indexes_changed(old.has_failed_indexes() != now.has_failed_indexes() ||
                             old.failed_indexes() != now.failed_indexes()) {}

const FieldPath& status_path() {
  static const FieldPath path("status");
  return path;
}

void reject_conditions(FieldErrors& errors, std::string_view why) {
  errors.invalid(status_path().child("conditions"), BadValue::omitted(), why);
}

// J121.
void validate_uncounted(FieldErrors& errors, const FieldPath& path,
                        const google::protobuf::RepeatedPtrField<std::string>& uids,
                        std::set<std::string_view>& seen) {
  for (int i = 0; i < uids.size(); ++i) {
    const FieldPath item = path.index(static_cast<size_t>(i));
    if (uids[i].empty()) {
      errors.invalid(item, uids[i], "must not be empty");
    } else if (!seen.insert(uids[i]).second) {
      errors.duplicate(item, uids[i]);
    }
  }
}

void validate_counters(FieldErrors& errors, const JobStatus& status) {
  const FieldPath& path = status_path();
  validate_non_negative(errors, path.child("active"), status.active());
  validate_non_negative(errors, path.child("succeeded"), status.succeeded());
  validate_non_negative(errors, path.child("failed"), status.failed());
  validate_non_negative(errors, path.child("ready"), status.ready());
  validate_non_negative(errors, path.child("terminating"), status.terminating());
  const FieldPath uncounted = path.child("uncountedTerminatedPods");
  std::set<std::string_view> seen;
  validate_uncounted(errors, uncounted.child("succeeded"),
                     status.uncounted_terminated_pods().succeeded(), seen);
  validate_uncounted(errors, uncounted.child("failed"), status.uncounted_terminated_pods().failed(),
                     seen);
}

// J134. A Job of no completions that is suspended completes without ever having started.
void validate_start_of_finished(FieldErrors& errors, const StatusChange& c) {
  const auto& spec = c.job.spec();
  const bool never_starts = spec.suspend() && spec.has_completions() && spec.completions() == 0;
  if ((c.finished_changed || c.start_time_changed) && !never_starts && c.finished &&
      !c.now.has_start_time()) {
    errors.required(status_path().child("startTime"), "startTime is required for finished job");
  }
}

// J127-J132.
void validate_changed_conditions(FieldErrors& errors, const StatusChange& c) {
  const FieldPath completion_time = status_path().child("completionTime");
  if ((c.complete_changed || c.failed_changed) && c.complete && c.failed) {
    reject_conditions(errors, "cannot set Complete=True and Failed=true conditions");
  }
  if ((c.complete_changed || c.failure_target_changed) && c.complete && c.failure_target) {
    reject_conditions(errors, "cannot set Complete=True and FailureTarget=true conditions");
  }
  if (c.complete_changed || c.completion_time_changed) {
    if (c.now.has_completion_time() && !c.complete) {
      errors.invalid(completion_time, time_value(c.now.completion_time()),
                     "cannot set completionTime when there is no Complete=True condition");
    }
    if (c.complete && !c.now.has_completion_time()) {
      errors.required(completion_time, "completionTime is required for Complete jobs");
    }
  }
  if ((c.start_time_changed || c.completion_time_changed) && c.now.has_start_time() &&
      c.now.has_completion_time() && moment(c.now.completion_time()) < moment(c.now.start_time())) {
    errors.invalid(completion_time, time_value(c.now.completion_time()),
                   "must be equal to or after `startTime`");
  }
  if ((c.failed_changed || c.failed_indexes_changed) && c.failed && !c.failure_target) {
    reject_conditions(errors,
                      "cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if ((c.complete_changed || c.success_changed) && c.complete && !c.success) {
    reject_conditions(
        errors, "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
}

// J133, J135.
void validate_finished(FieldErrors& errors, const StatusChange& c) {
  if ((c.finished_changed || c.active_changed) && c.finished && c.now.active() > 0) {
    errors.invalid(status_path().child("active"), BadValue::number(c.now.active()),
                   "active>0 is invalid for finished job");
  }
  const auto& uncounted = c.now.uncounted_terminated_pods();
  if ((c.finished_changed || c.uncounted_changed) && c.finished &&
      uncounted.succeeded_size() + uncounted.failed_size() > 0) {
    errors.invalid(status_path().child("uncountedTerminatedPods"), BadValue::message(uncounted),
                   "must be empty for finished job");
  }
}

// J136, J140, J141.
void validate_changed_counts(FieldErrors& errors, const StatusChange& c, const Job& old_job) {
  if ((c.finished_changed || c.terminating_changed) && c.finished && c.now.terminating() > 0) {
    errors.invalid(status_path().child("terminating"), BadValue::number(c.now.terminating()),
                   "terminating>0 is invalid for finished job");
  }
  // A condition that vanishes resumes nothing.
  const bool resumed =
      has_true_condition(old_job, kJobSuspended) && has_false_condition(c.job, kJobSuspended);
  if (c.start_time_changed && !resumed && c.old.has_start_time() && !c.job.spec().suspend()) {
    errors.invalid(status_path().child("startTime"),
                   c.now.has_start_time() ? time_value(c.now.start_time()) : BadValue::null(),
                   "field is immutable for unsuspended job once set");
  }
  if ((c.ready_changed || c.active_changed) && c.now.ready() > c.now.active()) {
    errors.invalid(status_path().child("ready"), BadValue::number(c.now.ready()),
                   "cannot set more ready pods than active");
  }
}

// J122.
void validate_success_conditions(FieldErrors& errors, const StatusChange& c) {
  if (c.success && c.failed) {
    reject_conditions(errors, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
  }
  if (c.success && c.failure_target) {
    reject_conditions(errors,
                      "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (c.job.spec().has_success_policy() && c.complete && !c.success) {
    reject_conditions(
        errors,
        "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
}

// J124-J126, J123: what is never taken back.
void validate_kept(FieldErrors& errors, const StatusChange& c, const Job& old_job) {
  for (const std::string_view type : {kJobFailed, kJobComplete, kJobFailureTarget}) {
    if (has_true_condition(old_job, type) && !has_true_condition(c.job, type)) {
      reject_conditions(errors, fmt::format("cannot disable the terminal {}=True condition", type));
    }
  }
  if (c.now.failed() < c.old.failed()) {
    errors.invalid(status_path().child("failed"), BadValue::number(c.now.failed()),
                   "cannot decrease the failed counter");
  }
  // An elastic Indexed Job forgets the successes of the indexes it gives up.
  const auto& spec = c.job.spec();
  const bool elastic = is_indexed(spec) && spec.has_completions() && spec.has_parallelism() &&
                       spec.completions() == spec.parallelism();
  if (c.now.succeeded() < c.old.succeeded() && !elastic) {
    errors.invalid(status_path().child("succeeded"), BadValue::number(c.now.succeeded()),
                   "cannot decrease the succeeded counter");
  }
  if (c.completion_time_changed && c.old.has_completion_time() && c.now.has_completion_time()) {
    errors.invalid(status_path().child("completionTime"), time_value(c.now.completion_time()),
                   "field is immutable");
  }
  if (c.success_changed && !c.success) {
    reject_conditions(errors, "cannot disable the SuccessCriteriaMet=True condition");
  }
  if (c.success_changed && c.success && has_true_condition(old_job, kJobComplete)) {
    reject_conditions(
        errors, "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}

}  // namespace

FieldErrors validate_job_status_update(const Job& old_job, const Job& job) {
  FieldErrors errors;
  const FieldPath metadata("metadata");
  validate_generic_update(errors, metadata, job.metadata(), old_job.metadata(), true);
  validate_object_meta_update(errors, metadata, job.metadata(), old_job.metadata());
  const StatusChange change(old_job, job);
  validate_counters(errors, job.status());
  validate_start_of_finished(errors, change);
  validate_changed_conditions(errors, change);
  validate_finished(errors, change);
  validate_status_indexes(errors, old_job, job);
  validate_changed_counts(errors, change, old_job);
  validate_success_conditions(errors, change);
  validate_kept(errors, change, old_job);
  validate_completed_indexes_update(errors, old_job, job);
  validate_job_policy_update(errors, old_job, job);
  return errors;
}

}  // namespace windlass::api
