// The selector of a Job and the labels it must find on the Job's pods (api.md J90-J92).

#include <fmt/format.h>
#include <google/protobuf/map.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "api/field_error.h"
#include "api/job/job_constants.h"
#include "api/job/validation/validate_job_spec.h"
#include "api/select/label_selector.h"
#include "api/string_map.h"
#include "base/json_writer.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {

namespace {

BadValue labels_value(const StringMap& labels) {
  if (labels.empty()) {
    return BadValue::null();
  }
  std::string text = "{";
  for (const std::string_view key : sorted_keys(labels)) {
    text += text.size() > 1 ? "," : "";
    append_json_string(key, text);
    text += ':';
    append_json_string(labels.at(std::string(key)), text);
  }
  return BadValue::json(text + "}");
}

}  // namespace

namespace {

using batch::v1::Job;
using batch::v1::JobSpec;

Result<LabelSelector> selector_of(const JobSpec& spec) {
  return LabelSelector::from_message(spec.has_selector() ? &spec.selector() : nullptr);
}

void validate_has_label(FieldErrors& errors, const FieldPath& path, const StringMap& labels,
                        std::string_view key, const std::string& expected) {
  const auto found = labels.find(std::string(key));
  if (found == labels.end()) {
    errors.required(path.key(key), fmt::format("must be '{}'", expected));
  } else if (found->second != expected) {
    errors.invalid(path.key(key), labels_value(labels), fmt::format("must be '{}'", expected));
  }
}

}  // namespace

void validate_job_selector(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  const FieldPath selector_path = path.child("selector");
  if (spec.has_selector()) {
    validate_label_selector(errors, selector_path, spec.selector());
  } else {
    errors.required(selector_path);
  }
  const StringMap& labels = spec.template_().metadata().labels();
  // What is wrong with a selector that cannot be read has been said.
  const Result<LabelSelector> selector = selector_of(spec);
  if (selector && !selector->matches(labels)) {
    errors.invalid(path.child("template").child("metadata").child("labels"), labels_value(labels),
                   "`selector` does not match template `labels`");
  }
}

void validate_generated_selector(FieldErrors& errors, const Job& job) {
  const JobSpec& spec = job.spec();
  // That there is no selector is validate_job_selector's to report.
  if (spec.manual_selector() || !spec.has_selector()) {
    return;
  }
  const std::string& uid = job.metadata().uid();
  const std::string& name = job.metadata().name();
  if (uid.empty()) {
    errors.required(FieldPath("metadata").child("uid"));
  }
  const std::array<std::pair<std::string_view, const std::string*>, 4> expected = {{
      {kLegacyControllerUidLabel, &uid},
      {kLegacyJobNameLabel, &name},
      {kControllerUidLabel, &uid},
      {kJobNameLabel, &name},
  }};
  const FieldPath path = FieldPath("spec").child("template").child("metadata").child("labels");
  const StringMap& labels = spec.template_().metadata().labels();
  std::map<std::string, std::string> generated;
  for (const auto& [key, value] : expected) {
    validate_has_label(errors, path, labels, key, *value);
    generated.emplace(key, *value);
  }
  // A selector that cannot be read is validate_job_selector's to report.
  const Result<LabelSelector> selector = selector_of(spec);
  if (selector && !selector->matches(generated)) {
    errors.invalid(FieldPath("spec").child("selector"), BadValue::message(spec.selector()),
                   "`selector` not auto-generated");
  }
}

}  // namespace windlass::api
