#include "api/job/validation/validate_job.h"

#include <fmt/format.h>

#include "api/job/completed_indexes.h"
#include "api/job/job_constants.h"
#include "api/job/job_policy.h"
#include "api/job/validation/validate_job_spec.h"
#include "api/names.h"
#include "api/validate_metadata.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {

using batch::v1::Job;

namespace {

// A Job created without labels has those of its template (J43). Where they are the generated ones
// and bad because the name is, the template's errors are enough (J60a).
bool has_bad_generated_labels(const Job& job) {
  const auto& labels = job.metadata().labels();
  constexpr size_t kGenerated = 4;
  return labels.size() == kGenerated && labels.contains(std::string(kJobNameLabel)) &&
         labels.contains(std::string(kControllerUidLabel)) &&
         labels.contains(std::string(kLegacyJobNameLabel)) &&
         labels.contains(std::string(kLegacyControllerUidLabel)) &&
         !check_label_value(job.metadata().name()).empty();
}

// J60.
void validate_job_metadata(FieldErrors& errors, const Job& job) {
  const FieldPath path("metadata");
  if (has_bad_generated_labels(job)) {
    meta::v1::ObjectMeta without_labels = job.metadata();
    without_labels.clear_labels();
    validate_object_meta(errors, path, without_labels, /*namespaced=*/true,
                         check_dns1123_subdomain);
  } else {
    validate_object_meta(errors, path, job.metadata(), /*namespaced=*/true,
                         check_dns1123_subdomain);
  }
}

}  // namespace

void validate_indexed_job_name(FieldErrors& errors, const Job& job) {
  if (!is_indexed(job.spec()) || job.spec().completions() <= 0) {
    return;
  }
  const std::string& name = job.metadata().name();
  const std::string last = fmt::format("{}-{}", name, job.spec().completions() - 1);
  if (!is_dns1123_label(last)) {
    errors.invalid(FieldPath("metadata").child("name"), name,
                   fmt::format("will not able to create pod with invalid DNS label: {}", last));
  }
}

void validate_whole_job(FieldErrors& errors, const Job& job) {
  validate_job_metadata(errors, job);
  validate_generated_selector(errors, job);
  validate_job_spec(errors, FieldPath("spec"), job.spec());
  validate_indexed_job_name(errors, job);
}

FieldErrors validate_job_create(const Job& job) {
  FieldErrors errors;
  validate_whole_job(errors, job);
  validate_completed_indexes(errors, job);
  validate_job_policy(errors, job);
  return errors;
}

}  // namespace windlass::api
