// api.md M132, M133.
#include <fmt/format.h>

#include "api/codec/wire_time.h"
#include "api/select/label_selector.h"
#include "apiserver/table/columns.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::apiserver {
namespace {

using api::batch::v1::Job;

constexpr Column kJobColumns[] = {
    kNameColumn,
    {"Status", "string", "", 0, "How the Job is doing."},
    {"Completions", "string", "", 0, "Pods that succeeded, and how many must."},
    {"Duration", "string", "", 0, "Time from start to completion, or until now."},
    kAgeColumn,
    {"Containers", "string", "", 1, "Names of the containers in the template."},
    {"Images", "string", "", 1, "Images of the containers in the template."},
    {"Selector", "string", "", 1, "Labels of the Job's pods."},
};

bool has_condition(const Job& job, std::string_view type) {
  for (const auto& condition : job.status().conditions()) {
    if (condition.type() == type && condition.status() == "True") {
      return true;
    }
  }
  return false;
}

std::string_view status_of(const Job& job) {
  if (has_condition(job, "Complete")) {
    return "Complete";
  }
  if (has_condition(job, "Failed")) {
    return "Failed";
  }
  if (job.metadata().has_deletion_timestamp()) {
    return "Terminating";
  }
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (has_condition(job, type)) {
      return type;
    }
  }
  return "Running";
}

std::string completions_of(const Job& job) {
  const int32_t succeeded = job.status().succeeded();
  if (job.spec().has_completions()) {
    return fmt::format("{}/{}", succeeded, job.spec().completions());
  }
  const int32_t parallelism = job.spec().parallelism();
  return parallelism > 1 ? fmt::format("{}/1 of {}", succeeded, parallelism)
                         : fmt::format("{}/1", succeeded);
}

std::string duration_of(const Job& job, Time now) {
  if (!job.status().has_start_time()) {
    return "";
  }
  const Time end =
      job.status().has_completion_time() ? api::time_of(job.status().completion_time()) : now;
  return human_duration(end - api::time_of(job.status().start_time()));
}

void job_cells(const api::Message& object, Time now, JsonWriter& json) {
  const Job& job = static_cast<const Job&>(object);
  json.string(job.metadata().name()).string(status_of(job)).string(completions_of(job));
  json.string(duration_of(job, now)).string(age_of(job, now));
  append_container_cells(job.spec().template_().spec(), json);
  const auto selector = api::LabelSelector::from_message(
      job.spec().has_selector() ? &job.spec().selector() : nullptr);
  json.string(selector ? or_none(selector->text()) : "<error>");
}

}  // namespace

TableColumns job_columns() {
  return {kJobColumns, &job_cells};
}

}  // namespace windlass::apiserver
