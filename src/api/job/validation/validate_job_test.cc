// Rules about the whole Job on create: its name, its template (api.md J60, J60a, J93, J94).
#include "api/job/validation/validate_job.h"

#include <gtest/gtest.h>

#include "api/job/job_testing.h"
#include "api/kind.h"

namespace windlass::api {
namespace {

using testing::create_errors;
using testing::created;
using testing::indexed_job;
using testing::Job;
using testing::minimal_job;
using testing::Texts;

constexpr std::string_view kSubdomainText =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

Job named(std::string_view name) {
  Job job = minimal_job();
  job.mutable_metadata()->set_name(std::string(name));
  return job;
}

Job named_and_manual(std::string_view name) {
  Job job = named(name);
  job.mutable_spec()->set_manual_selector(true);
  testing::label(job, "a") = "b";
  (*job.mutable_spec()->mutable_selector()->mutable_match_labels())["a"] = "b";
  return job;
}

TEST(JobValidation, AcceptsAMinimalJob) {
  EXPECT_EQ(create_errors(minimal_job()), Texts{});
}

TEST(JobValidation, J60_NameIsRequired) {
  Job job = named_and_manual("");
  EXPECT_EQ(create_errors(job),
            Texts{"metadata.name: Required value: name or generateName is required"});
}

TEST(JobValidation, J60_NameIsADnsSubdomain) {
  EXPECT_EQ(create_errors(named("a.b")), Texts{});
  EXPECT_EQ(create_errors(named_and_manual("My_Job")),
            Texts{"metadata.name: Invalid value: \"My_Job\": " + std::string(kSubdomainText)});
  EXPECT_EQ(create_errors(named_and_manual(std::string(253, 'a'))), Texts{});
  const std::string too_long(254, 'a');
  EXPECT_EQ(create_errors(named_and_manual(too_long)),
            Texts{"metadata.name: Invalid value: \"" + too_long +
                  "\": must be no more than 253 characters"});
}

TEST(JobValidation, J60_GeneratedNamesAreCheckedTwice) {
  Job job = named_and_manual("Bad-bcdfg");
  job.mutable_metadata()->set_generate_name("Bad-");
  const Texts errors = create_errors(job);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].substr(0, 44), "metadata.generateName: Invalid value: \"Bad-\"");
  EXPECT_EQ(errors[1].substr(0, 40), "metadata.name: Invalid value: \"Bad-bcdfg");
}

TEST(JobValidation, J60a_GeneratedLabelsLimitTheNameTo63) {
  EXPECT_EQ(create_errors(named(std::string(63, 'a'))), Texts{});
  const std::string name(64, 'a');
  const std::string error =
      "spec.template.labels: Invalid value: \"" + name + "\": must be no more than 63 bytes";
  EXPECT_EQ(create_errors(named(name)), (Texts{error, error}));
}

TEST(JobValidation, J60a_TemplateMetadataPathsLackMetadata) {
  Job job = minimal_job();
  testing::label(job, "bad key") = "x";
  (*job.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_annotations())["a b"] = "";
  const Texts errors = create_errors(job);
  // The label once more in the Job's own labels, which are the template's (J43).
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].substr(0, 42), "metadata.labels: Invalid value: \"bad key\":");
  EXPECT_EQ(errors[1].substr(0, 47), "spec.template.labels: Invalid value: \"bad key\":");
  EXPECT_EQ(errors[2].substr(0, 48), "spec.template.annotations: Invalid value: \"a b\":");
}

TEST(JobValidation, J93_PodNamesOfIndexedJobsAreDnsLabels) {
  Job job = indexed_job(10);
  job.mutable_metadata()->set_name(std::string(61, 'a'));
  EXPECT_EQ(create_errors(job), Texts{});

  const std::string name(62, 'a');
  job.mutable_metadata()->set_name(name);
  const std::string error = "metadata.name: Invalid value: \"" + name +
                            "\": will not able to create pod with invalid DNS label: " + name +
                            "-9";
  EXPECT_EQ(create_errors(job), Texts{error});
  job.mutable_spec()->set_completions(0);
  EXPECT_EQ(create_errors(job), Texts{});
}

TEST(JobValidation, J93_DotsAreNotAllowedForIndexedJobs) {
  Job job = indexed_job(2);
  job.mutable_metadata()->set_name("a.b");
  EXPECT_EQ(create_errors(job),
            Texts{"metadata.name: Invalid value: \"a.b\": will not able to create pod with invalid "
                  "DNS label: a.b-1"});
  job.mutable_spec()->set_completion_mode("NonIndexed");
  EXPECT_EQ(create_errors(job), Texts{});
}

TEST(JobValidation, J93_HoldsOnUpdateToo) {
  Job old_job = indexed_job(10);
  old_job.mutable_metadata()->set_name(std::string(61, 'a'));
  old_job.mutable_spec()->set_parallelism(10);
  old_job = created(old_job);
  Job job = old_job;
  job.mutable_spec()->set_completions(11);
  job.mutable_spec()->set_parallelism(11);
  const std::string name(61, 'a');
  EXPECT_EQ(testing::update_errors(old_job, job),
            Texts{"metadata.name: Invalid value: \"" + name +
                  "\": will not able to create pod with invalid DNS label: " + name + "-10"});
}

TEST(JobValidation, J94_TheTemplateIsValidatedAsAPod) {
  Job job = minimal_job();
  job.mutable_spec()->mutable_template_()->mutable_spec()->mutable_containers(0)->clear_image();
  EXPECT_EQ(create_errors(job), Texts{"spec.template.spec.containers[0].image: Required value"});
  job.mutable_spec()->mutable_template_()->mutable_spec()->clear_containers();
  EXPECT_EQ(create_errors(job), Texts{"spec.template.spec.containers: Required value"});
}

TEST(JobValidation, TheStatusOfTwoErrorsReadsAsKubernetesWritesIt) {
  Job job = minimal_job();
  job.mutable_spec()->set_parallelism(-1);
  job.mutable_spec()->mutable_template_()->mutable_spec()->clear_restart_policy();
  const Status status = validate_job_create(created(job)).to_status(kinds::job(), "j");
  EXPECT_EQ(status.message,
            "Job.batch \"j\" is invalid: [spec.parallelism: Invalid value: -1: must be greater "
            "than or equal to 0, spec.template.spec.restartPolicy: Required value: valid values: "
            "\"OnFailure\", \"Never\"]");
  EXPECT_EQ(status.code, 422);
}

}  // namespace
}  // namespace windlass::api
