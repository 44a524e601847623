#include "api/job/job_strategy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "api/codec/wire_time.h"
#include "api/equality.h"
#include "api/generation.h"
#include "api/job/default_job.h"
#include "api/job/job_constants.h"
#include "api/job/validation/validate_job_spec.h"
#include "api/names.h"
#include "api/pod/warnings/warnings_pod.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {

namespace {

using batch::v1::Job;
using batch::v1::JobSpec;
using batch::v1::PodFailurePolicyRule;

bool names_rules(const JobSpec& spec) {
  return std::ranges::any_of(spec.pod_failure_policy().rules(),
                             [](const PodFailurePolicyRule& rule) { return rule.has_name(); });
}

void drop_rule_names(JobSpec& spec) {
  if (!names_rules(spec)) {
    return;
  }
  for (PodFailurePolicyRule& rule : *spec.mutable_pod_failure_policy()->mutable_rules()) {
    rule.clear_name();
  }
}

// FailIndex means nothing without a limit per index, and would be refused (J82).
void drop_fail_index_rules(JobSpec& spec) {
  if (!spec.has_pod_failure_policy()) {
    return;
  }
  auto& rules = *spec.mutable_pod_failure_policy()->mutable_rules();
  const auto kept = std::remove_if(rules.begin(), rules.end(), [](const auto& rule) {
    return rule.action() == kActionFailIndex;
  });
  rules.erase(kept, rules.end());
}

void set_if_absent(google::protobuf::Map<std::string, std::string>& map, std::string_view key,
                   const std::string& value) {
  map.insert({std::string(key), value});
}

// J51. The labels say whose pods these are; the selector finds them again.
void generate_selector(Job& job) {
  JobSpec& spec = *job.mutable_spec();
  if (spec.manual_selector()) {
    return;  // J52
  }
  const std::string& name = job.metadata().name();
  const std::string& uid = job.metadata().uid();
  auto& labels = *spec.mutable_template_()->mutable_metadata()->mutable_labels();
  set_if_absent(labels, kLegacyJobNameLabel, name);
  set_if_absent(labels, kJobNameLabel, name);
  set_if_absent(labels, kLegacyControllerUidLabel, uid);
  set_if_absent(labels, kControllerUidLabel, uid);
  set_if_absent(*spec.mutable_selector()->mutable_match_labels(), kControllerUidLabel, uid);
}

}  // namespace

void drop_disabled_job_fields(Job& job, const Job* old_job, const FeatureGates& gates) {
  JobSpec& spec = *job.mutable_spec();
  const JobSpec& old = old_job ? old_job->spec() : JobSpec::default_instance();
  if (!gates.enabled(Feature::job_pod_failure_policy) && !old.has_pod_failure_policy()) {
    spec.clear_pod_failure_policy();
  }
  if (!gates.enabled(Feature::pod_failure_policy_name) && !names_rules(old)) {
    drop_rule_names(spec);
  }
  if (!gates.enabled(Feature::job_backoff_limit_per_index)) {
    if (!old.has_backoff_limit_per_index()) {
      spec.clear_backoff_limit_per_index();
      drop_fail_index_rules(spec);
    }
    if (!old.has_max_failed_indexes()) {
      spec.clear_max_failed_indexes();
    }
  }
  if (!gates.enabled(Feature::job_pod_replacement_policy) && !old.has_pod_replacement_policy()) {
    spec.clear_pod_replacement_policy();
  }
  if (!gates.enabled(Feature::job_success_policy) && !old.has_success_policy()) {
    spec.clear_success_policy();
  }
  if (!gates.enabled(Feature::job_managed_by) && !old.has_managed_by()) {
    spec.clear_managed_by();
  }
}

void prepare_job_for_create(Job& job, const NewObject& created, const FeatureGates& gates) {
  meta::v1::ObjectMeta& metadata = *job.mutable_metadata();
  metadata.set_uid(created.uid.data(), created.uid.size());
  set_time(*metadata.mutable_creation_timestamp(), created.now);
  metadata.clear_deletion_timestamp();
  metadata.clear_deletion_grace_period_seconds();
  metadata.clear_self_link();
  metadata.set_generation(1);
  job.clear_status();
  drop_disabled_job_fields(job, nullptr, gates);
  generate_selector(job);
  default_job_labels(job);
}

void prepare_job_for_update(const Job& old_job, Job& job, const FeatureGates& gates) {
  if (old_job.has_status()) {
    *job.mutable_status() = old_job.status();
  } else {
    job.clear_status();
  }
  drop_disabled_job_fields(job, &old_job, gates);
  meta::v1::ObjectMeta& metadata = *job.mutable_metadata();
  if (old_job.metadata().has_creation_timestamp()) {
    *metadata.mutable_creation_timestamp() = old_job.metadata().creation_timestamp();
  } else {
    metadata.clear_creation_timestamp();
  }
  const bool changed = !semantically_equal(old_job.spec(), job.spec());
  metadata.set_generation(changed ? next_generation(old_job.metadata().generation())
                                  : old_job.metadata().generation());
}

void prepare_job_for_status_update(const Job& old_job, Job& job) {
  *job.mutable_spec() = old_job.spec();
  meta::v1::ObjectMeta metadata = old_job.metadata();
  meta::v1::ObjectMeta& sent = *job.mutable_metadata();
  metadata.mutable_labels()->swap(*sent.mutable_labels());
  metadata.mutable_annotations()->swap(*sent.mutable_annotations());
  metadata.mutable_finalizers()->Swap(sent.mutable_finalizers());
  metadata.mutable_owner_references()->Swap(sent.mutable_owner_references());
  metadata.mutable_managed_fields()->Swap(sent.mutable_managed_fields());
  if (sent.has_resource_version()) {
    metadata.set_resource_version(sent.resource_version());
  } else {
    metadata.clear_resource_version();
  }
  sent = std::move(metadata);
}

namespace {

using batch::v1::Job;

constexpr int32_t kMuchParallelism = 10'000;

std::vector<std::string> template_warnings(const Job& job) {
  return pod_template_warnings(FieldPath("spec").child("template"), job.spec().template_());
}

}  // namespace

std::vector<std::string> job_create_warnings(const Job& job) {
  std::vector<std::string> warnings;
  if (const NameProblems problems = check_dns1123_label(job.metadata().name()); !problems.empty()) {
    warnings.push_back(
        fmt::format("metadata.name: this is used in Pod names and hostnames, which can result in "
                    "surprising behavior; a DNS label is recommended: [{}]",
                    fmt::join(problems, " ")));
  }
  const auto& spec = job.spec();
  if (is_indexed(spec) && spec.completions() > kManyCompletions &&
      spec.parallelism() > kMuchParallelism) {
    warnings.emplace_back(
        "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism "
        "higher than 10^4, Kubernetes might not be able to track completedIndexes when a big "
        "number of indexes fail");
  }
  for (std::string& warning : template_warnings(job)) {
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

std::vector<std::string> job_update_warnings(const Job& old_job, const Job& job) {
  if (old_job.metadata().generation() == job.metadata().generation()) {
    return {};
  }
  return template_warnings(job);
}

}  // namespace windlass::api
