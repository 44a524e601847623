#include "api/job/default_job.h"

#include <gtest/gtest.h>

#include "api/job/job_testing.h"

namespace windlass::api {
namespace {

using testing::indexed_job;
using testing::Job;
using testing::minimal_job;

Job defaulted(Job job, const FeatureGates& gates = {}) {
  default_job(job, gates);
  return job;
}

FeatureGates without(Feature feature) {
  return FeatureGates().with(feature, false);
}

TEST(JobDefaults, J40_NeitherCompletionsNorParallelismMeansOne) {
  const Job job = defaulted(minimal_job());
  EXPECT_EQ(job.spec().completions(), 1);
  EXPECT_EQ(job.spec().parallelism(), 1);
}

TEST(JobDefaults, J41_OneOfCompletionsAndParallelism) {
  Job fixed = minimal_job();
  fixed.mutable_spec()->set_completions(5);
  fixed = defaulted(fixed);
  EXPECT_EQ(fixed.spec().completions(), 5);
  EXPECT_EQ(fixed.spec().parallelism(), 1);

  Job queue = minimal_job();
  queue.mutable_spec()->set_parallelism(3);
  queue = defaulted(queue);
  EXPECT_EQ(queue.spec().parallelism(), 3);
  EXPECT_FALSE(queue.spec().has_completions());

  Job zero = minimal_job();
  zero.mutable_spec()->set_parallelism(0);
  EXPECT_FALSE(defaulted(zero).spec().has_completions());
  EXPECT_EQ(defaulted(zero).spec().parallelism(), 0);
}

TEST(JobDefaults, J42_BackoffLimit) {
  EXPECT_EQ(defaulted(minimal_job()).spec().backoff_limit(), 6);

  Job per_index = indexed_job();
  per_index.mutable_spec()->set_backoff_limit_per_index(0);
  EXPECT_EQ(defaulted(per_index).spec().backoff_limit(), 2147483647);
  EXPECT_EQ(
      defaulted(per_index, without(Feature::job_backoff_limit_per_index)).spec().backoff_limit(),
      6);

  per_index.mutable_spec()->set_backoff_limit(0);
  EXPECT_EQ(defaulted(per_index).spec().backoff_limit(), 0);
}

TEST(JobDefaults, J43_LabelsComeFromTheTemplateWhenThereAreNone) {
  Job job = minimal_job();
  testing::label(job, "x") = "y";
  EXPECT_EQ(defaulted(job).metadata().labels().at("x"), "y");

  (*job.mutable_metadata()->mutable_labels())["own"] = "1";
  EXPECT_EQ(defaulted(job).metadata().labels().size(), 1U);
  EXPECT_EQ(defaulted(minimal_job()).metadata().labels().size(), 0U);
}

TEST(JobDefaults, J43_AJobCreatedWithoutLabelsGetsTheGeneratedOnesToo) {
  Job job = minimal_job();
  EXPECT_EQ(testing::created(job).metadata().labels().size(), 4U);
  testing::label(job, "x") = "y";
  const Job made = testing::created(job);
  EXPECT_EQ(made.metadata().labels().size(), 5U);
  EXPECT_EQ(made.metadata().labels().at("x"), "y");
  EXPECT_EQ(made.metadata().labels().at("job-name"), "myjob");

  (*job.mutable_metadata()->mutable_labels())["x"] = "y";
  EXPECT_EQ(testing::created(job).metadata().labels().size(), 1U);
}

TEST(JobDefaults, J43_AnUpdateThatClearsTheLabelsGetsThemBack) {
  const Job old_job = testing::created(minimal_job());
  Job job = old_job;
  job.mutable_metadata()->clear_labels();
  EXPECT_EQ(testing::updated(old_job, job).metadata().labels().size(), 4U);
}

TEST(JobDefaults, J44_CompletionMode) {
  EXPECT_EQ(defaulted(minimal_job()).spec().completion_mode(), "NonIndexed");
  EXPECT_EQ(defaulted(indexed_job()).spec().completion_mode(), "Indexed");
}

TEST(JobDefaults, J45_Suspend) {
  Job job = minimal_job();
  EXPECT_TRUE(defaulted(job).spec().has_suspend());
  EXPECT_FALSE(defaulted(job).spec().suspend());
  job.mutable_spec()->set_suspend(true);
  EXPECT_TRUE(defaulted(job).spec().suspend());
}

TEST(JobDefaults, J46_PodReplacementPolicy) {
  Job job = minimal_job();
  EXPECT_EQ(defaulted(job).spec().pod_replacement_policy(), "TerminatingOrFailed");
  const FeatureGates off = without(Feature::job_pod_replacement_policy);
  EXPECT_FALSE(defaulted(job, off).spec().has_pod_replacement_policy());

  job.mutable_spec()->mutable_pod_failure_policy();
  EXPECT_EQ(defaulted(job).spec().pod_replacement_policy(), "Failed");
  job.mutable_spec()->set_pod_replacement_policy("TerminatingOrFailed");
  EXPECT_EQ(defaulted(job).spec().pod_replacement_policy(), "TerminatingOrFailed");
}

TEST(JobDefaults, J47_ManualSelector) {
  Job job = minimal_job();
  EXPECT_TRUE(defaulted(job).spec().has_manual_selector());
  EXPECT_FALSE(defaulted(job).spec().manual_selector());
  job.mutable_spec()->set_manual_selector(true);
  EXPECT_TRUE(defaulted(job).spec().manual_selector());
}

TEST(JobDefaults, J48_PatternStatus) {
  Job job = minimal_job();
  auto& first = testing::add_rule(job, "Ignore");
  first.add_on_pod_conditions()->set_type("DisruptionTarget");
  first.add_on_pod_conditions()->set_type("ConfigIssue");
  first.mutable_on_pod_conditions(1)->set_status("False");
  job = defaulted(job);
  const auto& patterns = job.spec().pod_failure_policy().rules(0).on_pod_conditions();
  EXPECT_EQ(patterns[0].status(), "True");
  EXPECT_EQ(patterns[1].status(), "False");
}

TEST(JobDefaults, J49_TheTemplateGetsPodDefaultsButNotThoseOfPodsAlone) {
  Job job = minimal_job();
  auto& pod = *job.mutable_spec()->mutable_template_()->mutable_spec();
  pod.clear_restart_policy();
  pod.set_termination_grace_period_seconds(-7);
  (*pod.mutable_containers(0)->mutable_resources()->mutable_limits())["cpu"].set_string("1");
  job = defaulted(job);
  const auto& made = job.spec().template_().spec();
  EXPECT_EQ(made.restart_policy(), "Always");
  EXPECT_EQ(made.dns_policy(), "ClusterFirst");
  EXPECT_EQ(made.scheduler_name(), "default-scheduler");
  EXPECT_EQ(made.termination_grace_period_seconds(), -7);
  EXPECT_EQ(made.containers(0).image_pull_policy(), "IfNotPresent");
  EXPECT_FALSE(made.has_enable_service_links());
  EXPECT_EQ(made.containers(0).resources().requests().size(), 0U);
}

TEST(JobDefaults, J50_RuleNamesHaveNoDefault) {
  Job job = minimal_job();
  testing::add_exit_code_rule(job, "FailJob");
  EXPECT_FALSE(defaulted(job).spec().pod_failure_policy().rules(0).has_name());
}

TEST(JobDefaults, DefaultingTwiceIsDefaultingOnce) {
  Job job = indexed_job();
  job.mutable_spec()->set_backoff_limit_per_index(1);
  testing::add_rule(job, "Ignore").add_on_pod_conditions()->set_type("DisruptionTarget");
  const Job once = defaulted(job);
  EXPECT_EQ(defaulted(once).SerializeAsString(), once.SerializeAsString());
}

}  // namespace
}  // namespace windlass::api
