#include "api/job/job_manifest.h"

#include <gtest/gtest.h>

#include "api/codec/json/json.h"
#include "api/job/job_testing.h"

namespace windlass::api {
namespace {

using testing::Job;
using testing::minimal_job;
using testing::Texts;

Job without_server_fields() {
  Job job = minimal_job();
  job.mutable_metadata()->clear_namespace_();
  return job;
}

TEST(JobManifest, ShowsDefaultsAndNothingThatOnlyAServerKnows) {
  Job job = without_server_fields();
  const ManifestCheck check = check_job_manifest(job, FeatureGates());
  EXPECT_EQ(testing::texts(check.errors), Texts{});
  EXPECT_EQ(check.warnings, Texts{});
  EXPECT_EQ(job.spec().backoff_limit(), 6);
  EXPECT_FALSE(job.spec().has_selector());
  EXPECT_FALSE(job.metadata().has_uid());
  EXPECT_FALSE(job.metadata().has_namespace_());
  EXPECT_FALSE(job.metadata().has_generation());
  EXPECT_FALSE(job.metadata().has_creation_timestamp());
  EXPECT_EQ(job.spec().template_().metadata().labels().size(), 0U);
}

// A label of its own would keep the generated ones away (J43).
TEST(JobManifest, WhatIsShownIsStillTheSameJob) {
  Job job = without_server_fields();
  testing::label(job, "x") = "y";
  const Job made = testing::created(job);
  EXPECT_TRUE(check_job_manifest(job, FeatureGates()).errors.empty());
  EXPECT_EQ(job.metadata().labels().size(), 0U);
  EXPECT_EQ(to_json(testing::created(job)), to_json(made));
}

TEST(JobManifest, GenerateNameIsEnough) {
  Job job = without_server_fields();
  job.mutable_metadata()->clear_name();
  job.mutable_metadata()->set_generate_name("job-");
  job.mutable_spec()->set_completion_mode("Indexed");
  EXPECT_EQ(testing::texts(check_job_manifest(job, FeatureGates()).errors), Texts{});
  EXPECT_FALSE(job.metadata().has_name());
}

TEST(JobManifest, AMissingNameIsReportedOnce) {
  Job job = without_server_fields();
  job.mutable_metadata()->clear_name();
  EXPECT_EQ(testing::texts(check_job_manifest(job, FeatureGates()).errors),
            Texts{"metadata.name: Required value: name or generateName is required"});
}

TEST(JobManifest, ErrorsAndWarningsAreThoseOfACreate) {
  Job job = without_server_fields();
  job.mutable_metadata()->set_name("a.b");
  job.mutable_spec()->set_parallelism(-1);
  const ManifestCheck check = check_job_manifest(job, FeatureGates());
  EXPECT_EQ(testing::texts(check.errors),
            Texts{"spec.parallelism: Invalid value: -1: must be greater than or equal to 0"});
  EXPECT_EQ(check.warnings.size(), 1U);
}

TEST(JobManifest, GatesDropFields) {
  Job job = without_server_fields();
  testing::add_exit_code_rule(job, "FailJob").set_name("-");
  Job same = job;
  EXPECT_EQ(check_job_manifest(job, FeatureGates()).errors.size(), 1U);
  const FeatureGates off = FeatureGates().with(Feature::pod_failure_policy_name, false);
  EXPECT_TRUE(check_job_manifest(same, off).errors.empty());
  EXPECT_FALSE(same.spec().pod_failure_policy().rules(0).has_name());
}

// What `kubectl get -o yaml` printed of another Job cannot be created as it is.
TEST(JobManifest, AForeignSelectorIsReported) {
  Job job = testing::created(minimal_job());
  job.mutable_metadata()->set_resource_version("5");
  EXPECT_FALSE(check_job_manifest(job, FeatureGates()).errors.empty());
}

}  // namespace
}  // namespace windlass::api
