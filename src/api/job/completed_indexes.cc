#include "api/job/completed_indexes.h"

#include <string>
#include <string_view>

#include "api/job/validation/validate_job_spec.h"
#include "base/index_set.h"
#include "base/utf8.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

using batch::v1::Job;

// Long lists are cut in error messages.
constexpr size_t kMaxShown = 200;

FieldPath annotation_path() {
  return FieldPath("metadata").child("annotations").key(kCompletedIndexesAnnotation);
}

// The text is long in large Jobs, so it is not copied. nullptr: none.
const std::string* annotation_of(const Job& job) {
  const auto& annotations = job.metadata().annotations();
  const auto found = annotations.find(std::string(kCompletedIndexesAnnotation));
  return found == annotations.end() ? nullptr : &found->second;
}

bool same_text(const std::string* a, const std::string* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

void reject(FieldErrors& errors, const std::string* text, std::string_view why) {
  errors.invalid(annotation_path(),
                 text == nullptr ? BadValue::null() : BadValue(readable(*text, kMaxShown)), why);
}

// The controller has stored no status: the annotation still counts (job-controller.md 12.2).
bool has_no_status(const Job& job) {
  return job.status().ByteSizeLong() == 0;
}

}  // namespace

void validate_completed_indexes(FieldErrors& errors, const Job& job) {
  const std::string* text = annotation_of(job);
  if (text == nullptr) {
    return;
  }
  if (!is_indexed(job.spec())) {
    reject(errors, text, "may be set only when spec.completionMode is Indexed");
  } else if (const auto set = IndexSet::parse_exact(*text, job.spec().completions()); !set) {
    reject(errors, text, set.error().message);
  }
}

void validate_completed_indexes_update(FieldErrors& errors, const Job& old_job, const Job& job) {
  const std::string* text = annotation_of(job);
  if (same_text(text, annotation_of(old_job))) {
    if (text != nullptr && job.spec().completions() != old_job.spec().completions() &&
        has_no_status(old_job)) {
      validate_completed_indexes(errors, job);
    }
    return;
  }
  FieldErrors old_errors;
  validate_completed_indexes(old_errors, old_job);
  if (!old_errors.empty() && has_no_status(old_job)) {
    validate_completed_indexes(errors, job);
  } else {
    reject(errors, text, "the indexes that a Job starts with as completed are immutable");
  }
}

}  // namespace windlass::api
