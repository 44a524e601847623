#include "api/job/job_strategy.h"

#include <gtest/gtest.h>

#include "api/job/job_testing.h"

namespace windlass::api {

namespace {

using testing::created;
using testing::indexed_job;
using testing::Job;
using testing::kCreated;
using testing::kUid;
using testing::minimal_job;
using testing::updated;

FeatureGates gates_without(Feature feature) {
  return FeatureGates().with(feature, false);
}

TEST(JobStrategy, J51_CreateFillsIdentityAndClearsStatus) {
  Job job = minimal_job();
  job.mutable_metadata()->set_uid("theirs");
  job.mutable_metadata()->set_generation(7);
  job.mutable_metadata()->mutable_deletion_timestamp()->set_seconds(1);
  job.mutable_status()->set_active(3);
  job = created(job);
  EXPECT_EQ(job.metadata().uid(), kUid);
  EXPECT_EQ(job.metadata().creation_timestamp().seconds(), kCreated);
  EXPECT_FALSE(job.metadata().has_deletion_timestamp());
  EXPECT_EQ(job.metadata().generation(), 1);
  EXPECT_EQ(job.status().ByteSizeLong(), 0U);
}

TEST(JobStrategy, J51_GeneratesLabelsAndSelector) {
  const Job job = created(minimal_job());
  const auto& labels = job.spec().template_().metadata().labels();
  EXPECT_EQ(labels.size(), 4U);
  EXPECT_EQ(labels.at("job-name"), "myjob");
  EXPECT_EQ(labels.at("batch.kubernetes.io/job-name"), "myjob");
  EXPECT_EQ(labels.at("controller-uid"), kUid);
  EXPECT_EQ(labels.at("batch.kubernetes.io/controller-uid"), kUid);
  EXPECT_EQ(job.spec().selector().match_labels().size(), 1U);
  EXPECT_EQ(job.spec().selector().match_labels().at("batch.kubernetes.io/controller-uid"), kUid);
}

TEST(JobStrategy, J51_KeepsWhatTheUserGave) {
  Job job = minimal_job();
  testing::label(job, "job-name") = "other";
  auto& match = *job.mutable_spec()->mutable_selector()->mutable_match_labels();
  match["batch.kubernetes.io/controller-uid"] = "mine";
  job = created(job);
  EXPECT_EQ(job.spec().template_().metadata().labels().at("job-name"), "other");
  EXPECT_EQ(job.spec().selector().match_labels().at("batch.kubernetes.io/controller-uid"), "mine");
}

TEST(JobStrategy, J52_ManualSelectorGeneratesNothing) {
  Job job = minimal_job();
  job.mutable_spec()->set_manual_selector(true);
  job = created(job);
  EXPECT_EQ(job.spec().template_().metadata().labels().size(), 0U);
  EXPECT_FALSE(job.spec().has_selector());
}

// A Job that uses everything that has a gate.
Job gated_job() {
  Job job = indexed_job();
  auto& spec = *job.mutable_spec();
  spec.set_backoff_limit_per_index(1);
  spec.set_max_failed_indexes(2);
  spec.set_pod_replacement_policy("Failed");
  spec.set_managed_by("acme.io/controller");
  spec.mutable_success_policy()->add_rules()->set_succeeded_count(1);
  testing::add_exit_code_rule(job, "FailJob").set_name("Bug");
  testing::add_exit_code_rule(job, "FailIndex", "In", {43});
  return job;
}

// What of gated_job() is there.
std::string used_fields(const Job& job) {
  const auto& spec = job.spec();
  std::string out;
  const auto add = [&](bool present, std::string_view name) {
    if (present) {
      out += out.empty() ? "" : " ";
      out += name;
    }
  };
  add(spec.has_pod_failure_policy(), "policy");
  add(spec.pod_failure_policy().rules_size() == 2, "fail-index");
  add(spec.pod_failure_policy().rules_size() > 0 && spec.pod_failure_policy().rules(0).has_name(),
      "name");
  add(spec.has_backoff_limit_per_index(), "per-index");
  add(spec.has_max_failed_indexes(), "max-failed");
  add(spec.has_pod_replacement_policy(), "replacement");
  add(spec.has_success_policy(), "success");
  add(spec.has_managed_by(), "managed-by");
  return out;
}

constexpr std::string_view kAll =
    "policy fail-index name per-index max-failed replacement success managed-by";

struct GateCase {
  Feature off;
  std::string_view left;  // of a Job created with that gate off
};

const GateCase kGateCases[] = {
    {Feature::job_pod_failure_policy, "per-index max-failed replacement success managed-by"},
    {Feature::pod_failure_policy_name,
     "policy fail-index per-index max-failed replacement success managed-by"},
    {Feature::job_backoff_limit_per_index, "policy name replacement success managed-by"},
    {Feature::job_pod_replacement_policy,
     "policy fail-index name per-index max-failed success managed-by"},
    {Feature::job_success_policy,
     "policy fail-index name per-index max-failed replacement managed-by"},
    {Feature::job_managed_by, "policy fail-index name per-index max-failed replacement success"},
    {Feature::pod_disruption_conditions, kAll},
};

TEST(JobStrategy, J54_CreateDropsFieldsWhoseGateIsOff) {
  EXPECT_EQ(used_fields(created(gated_job())), kAll);
  for (const GateCase& c : kGateCases) {
    const Job job = created(gated_job(), gates_without(c.off));
    EXPECT_EQ(used_fields(job), c.left) << feature_name(c.off);
    EXPECT_EQ(testing::texts(validate_job_create(job)), testing::Texts{}) << feature_name(c.off);
  }
}

TEST(JobStrategy, J54_UpdateKeepsFieldsThatTheOldJobUses) {
  const Job old_job = created(gated_job());
  for (const GateCase& c : kGateCases) {
    const Job job = updated(old_job, old_job, gates_without(c.off));
    EXPECT_EQ(used_fields(job), kAll) << feature_name(c.off);
    EXPECT_EQ(job.metadata().generation(), 1) << feature_name(c.off);
    EXPECT_EQ(testing::texts(validate_job_update(old_job, job)), testing::Texts{});
  }
}

TEST(JobStrategy, J54_UpdateDropsFieldsThatTheOldJobDoesNotUse) {
  for (const GateCase& c : kGateCases) {
    const FeatureGates gates = gates_without(c.off);
    const Job old_job = created(gated_job(), gates);
    Job job = gated_job();
    *job.mutable_metadata() = old_job.metadata();
    EXPECT_EQ(used_fields(updated(old_job, job, gates)), c.left) << feature_name(c.off);
  }
}

// Switched off and on again, the gate finds what was stored before.
TEST(JobStrategy, J54_StoredNamesSurviveTheGate) {
  const Job stored = created(gated_job());
  Job job = stored;
  job.mutable_spec()->set_parallelism(3);
  const Job while_off = updated(stored, job, gates_without(Feature::pod_failure_policy_name));
  EXPECT_EQ(while_off.spec().pod_failure_policy().rules(0).name(), "Bug");
  EXPECT_EQ(while_off.metadata().generation(), 2);
  EXPECT_EQ(updated(while_off, while_off).spec().pod_failure_policy().rules(0).name(), "Bug");
}

TEST(JobStrategy, J54_ADroppedFieldLeavesNoDefaultBehind) {
  Job job = minimal_job();
  testing::add_exit_code_rule(job, "FailJob");
  EXPECT_EQ(created(job).spec().pod_replacement_policy(), "Failed");
  EXPECT_EQ(
      created(job, gates_without(Feature::job_pod_failure_policy)).spec().pod_replacement_policy(),
      "TerminatingOrFailed");

  Job per_index = indexed_job();
  per_index.mutable_spec()->set_backoff_limit_per_index(1);
  EXPECT_EQ(created(per_index, gates_without(Feature::job_backoff_limit_per_index))
                .spec()
                .backoff_limit(),
            6);
}

TEST(JobStrategy, J109_GenerationGrowsWithTheSpecOnly) {
  const Job old_job = created(minimal_job());
  Job job = old_job;
  (*job.mutable_metadata()->mutable_annotations())["a"] = "b";
  job.mutable_metadata()->set_generation(9);
  EXPECT_EQ(updated(old_job, job).metadata().generation(), 1);

  job.mutable_spec()->set_suspend(true);
  const Job suspended = updated(old_job, job);
  EXPECT_EQ(suspended.metadata().generation(), 2);
  EXPECT_EQ(updated(suspended, suspended).metadata().generation(), 2);
}

TEST(JobStrategy, J109_EqualQuantitiesAreNoChange) {
  Job job = minimal_job();
  auto& pod = *job.mutable_spec()->mutable_template_()->mutable_spec();
  auto& limits = *pod.mutable_containers(0)->mutable_resources()->mutable_limits();
  limits["cpu"].set_string("500m");
  const Job old_job = created(job);
  Job same = old_job;
  (*same.mutable_spec()
        ->mutable_template_()
        ->mutable_spec()
        ->mutable_containers(0)
        ->mutable_resources()
        ->mutable_limits())["cpu"]
      .set_string("0.5");
  EXPECT_EQ(updated(old_job, same).metadata().generation(), 1);
}

TEST(JobStrategy, J109_StatusAndCreationTimeAreKept) {
  Job old_job = created(minimal_job());
  old_job.mutable_status()->set_active(1);
  Job job = old_job;
  job.mutable_status()->set_active(5);
  job.mutable_status()->set_failed(1);
  job.mutable_metadata()->mutable_creation_timestamp()->set_seconds(3);
  job = updated(old_job, job);
  EXPECT_EQ(job.status().active(), 1);
  EXPECT_EQ(job.status().failed(), 0);
  EXPECT_EQ(job.metadata().creation_timestamp().seconds(), kCreated);

  Job without_time = old_job;
  without_time.mutable_metadata()->clear_creation_timestamp();
  EXPECT_EQ(updated(old_job, without_time).metadata().creation_timestamp().seconds(), kCreated);
}

TEST(JobStrategy, J120_StatusUpdateTakesStatusAndSomeMetadata) {
  Job old_job = created(minimal_job());
  old_job.mutable_metadata()->set_resource_version("10");
  Job job = old_job;
  job.mutable_spec()->set_parallelism(9);
  job.mutable_status()->set_active(1);
  auto& metadata = *job.mutable_metadata();
  metadata.set_generation(8);
  metadata.set_uid("other");
  metadata.mutable_creation_timestamp()->set_seconds(2);
  metadata.mutable_deletion_timestamp()->set_seconds(2);
  metadata.set_resource_version("11");
  metadata.clear_labels();
  (*metadata.mutable_annotations())["a"] = "b";
  metadata.add_finalizers("acme.io/keep");
  metadata.add_owner_references()->set_name("owner");
  prepare_job_for_status_update(old_job, job);
  EXPECT_EQ(job.spec().parallelism(), 1);
  EXPECT_EQ(job.status().active(), 1);
  EXPECT_EQ(job.metadata().generation(), 1);
  EXPECT_EQ(job.metadata().uid(), kUid);
  EXPECT_EQ(job.metadata().creation_timestamp().seconds(), kCreated);
  EXPECT_FALSE(job.metadata().has_deletion_timestamp());
  EXPECT_EQ(job.metadata().resource_version(), "11");
  EXPECT_EQ(job.metadata().labels().size(), 0U);
  EXPECT_EQ(job.metadata().annotations().at("a"), "b");
  EXPECT_EQ(job.metadata().finalizers(0), "acme.io/keep");
  EXPECT_EQ(job.metadata().owner_references(0).name(), "owner");
}

}  // namespace

namespace {

using testing::created;
using testing::Job;
using testing::minimal_job;
using testing::Texts;

TEST(JobWarnings, AnOrdinaryJobHasNone) {
  EXPECT_EQ(job_create_warnings(created(minimal_job())), Texts{});
}

TEST(JobWarnings, J151_NameThatIsNoDnsLabel) {
  Job job = minimal_job();
  job.mutable_metadata()->set_name("a.b");
  EXPECT_EQ(job_create_warnings(created(job)),
            Texts{"metadata.name: this is used in Pod names and hostnames, which can result in "
                  "surprising behavior; a DNS label is recommended: [must not contain dots]"});
}

TEST(JobWarnings, J151_ManyIndexes) {
  Job job = testing::indexed_job(100'001);
  job.mutable_spec()->set_parallelism(10'001);
  const Texts expected{
      "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism "
      "higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number "
      "of indexes fail"};
  EXPECT_EQ(job_create_warnings(created(job)), expected);
  job.mutable_spec()->set_parallelism(10'000);
  EXPECT_EQ(job_create_warnings(created(job)), Texts{});
  job.mutable_spec()->set_parallelism(10'001);
  job.mutable_spec()->set_completions(100'000);
  EXPECT_EQ(job_create_warnings(created(job)), Texts{});
}

Job with_template_warnings() {
  Job job = minimal_job();
  auto& pod = *job.mutable_spec()->mutable_template_()->mutable_spec();
  pod.set_termination_grace_period_seconds(-1);
  for (const std::string_view value : {"1", "2"}) {
    auto& variable = *pod.mutable_containers(0)->add_env();
    variable.set_name("N");
    variable.set_value(std::string(value));
  }
  return job;
}

TEST(JobWarnings, J151_PodTemplate) {
  const Texts warnings = job_create_warnings(created(with_template_warnings()));
  const Texts sorted = [&] {
    Texts copy = warnings;
    std::sort(copy.begin(), copy.end());
    return copy;
  }();
  EXPECT_EQ(sorted,
            (Texts{"spec.template.spec.containers[0].env[1]: hides previous definition of \"N\", "
                   "which may be dropped when using apply",
                   "spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative "
                   "values are invalid and will be treated as 1"}));
}

TEST(JobWarnings, J151_UpdatesWarnOnlyOfTheTemplateAndOnlyWhenTheSpecChanged) {
  Job job = with_template_warnings();
  job.mutable_metadata()->set_name("a.b");
  const Job old_job = created(job);
  EXPECT_EQ(job_update_warnings(old_job, testing::updated(old_job, old_job)), Texts{});
  Job changed = old_job;
  changed.mutable_spec()->set_parallelism(2);
  EXPECT_EQ(job_update_warnings(old_job, testing::updated(old_job, changed)).size(), 2U);
}

}  // namespace

}  // namespace windlass::api
