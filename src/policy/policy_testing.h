// For tests only: Jobs from a few lines of YAML, as the commands would read them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/codec/json/json.h"
#include "api/codec/yaml/yaml.h"
#include "api/job/job_manifest.h"
#include "policy/lint.h"
#include "policy/outlook.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::policy::testing {

struct TestJob {
  Subject subject;
  std::vector<Refusal> refusals;
};

// `spec` is the Job's spec without its template, `pod` the pod's; both flow or block YAML mappings
// in flow style: "{backoffLimit: 1}".
inline TestJob read_test_job(const std::string& spec, const std::string& pod,
                             const std::string& metadata, const api::FeatureGates& gates) {
  const std::string yaml = "{metadata: " + metadata + ", spec: " + spec + "}";
  TestJob out;
  api::batch::v1::Job job;
  const auto documents = api::parse_yaml(yaml);
  const auto pods = api::parse_yaml(pod);
  if (!documents || !pods || documents->size() != 1 || pods->size() != 1) {
    ADD_FAILURE() << "not one YAML document: " << yaml << " or " << pod;
    return out;
  }
  if (!api::decode_json(documents->front().json, job) ||
      !api::decode_json(pods->front().json,
                        *job.mutable_spec()->mutable_template_()->mutable_spec())) {
    ADD_FAILURE() << "not a Job: " << yaml;
    return out;
  }
  const api::ManifestCheck check = api::check_job_manifest(job, gates);
  for (const api::FieldError& error : check.errors.all()) {
    out.refusals.emplace_back(error.field, error.text());
  }
  out.subject = read_subject(job, gates);
  return out;
}

inline constexpr const char* kOneContainer =
    "{restartPolicy: Never, containers: [{name: main, image: i}]}";

// A valid Job.
inline Subject subject_of(const std::string& spec, const std::string& pod = kOneContainer,
                          const api::FeatureGates& gates = {}) {
  TestJob job = read_test_job(spec, pod, "{name: demo}", gates);
  for (const Refusal& refusal : job.refusals) {
    ADD_FAILURE() << refusal.second;
  }
  return job.subject;
}

// The rules of a policy, and further fields of the spec.
inline std::string with_rules(const std::string& rules, const std::string& fields = "") {
  return "{podFailurePolicy: {rules: [" + rules + "]}" + (fields.empty() ? "" : ", " + fields) +
         "}";
}

inline const char* const kIgnoreDisruptions =
    "{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}";

inline std::string on_codes(const std::string& action, const std::string& op,
                            const std::string& codes, const std::string& further = "") {
  return "{action: " + action + ", onExitCodes: {operator: " + op + ", values: [" + codes + "]" +
         (further.empty() ? "" : ", " + further) + "}}";
}

inline Failure exit_with(int32_t code, const std::string& container = "main") {
  Failure failure;
  failure.exit_code = code;
  failure.container = container;
  return failure;
}

inline Failure caused(Failure::Cause cause, std::optional<int32_t> code = kSigkillCode) {
  Failure failure;
  failure.cause = cause;
  failure.exit_code = code;
  return failure;
}

}  // namespace windlass::policy::testing
