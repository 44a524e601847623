#include "cli/manifests/rerun_job.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/job/job_testing.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

using api::batch::v1::Job;
using api::core::v1::Pod;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr const char* kCompleted = "windlass.dev/completed-indexes";
constexpr const char* kRerunOf = "windlass.dev/rerun-of";
constexpr const char* kRecord = "windlass.dev/job-record";

// Ten indexes with backoffLimitPerIndex: 3 and 7 failed, and 9 never ran.
Job failed_job() {
  Job job = api::testing::indexed_job(10);
  job.mutable_spec()->set_backoff_limit_per_index(2);
  job = api::testing::created(job);
  job.mutable_status()->set_completed_indexes("0-2,4-6,8");
  job.mutable_status()->set_failed_indexes("3,7");
  api::testing::set_condition(job, "Failed");
  return job;
}

Job rerun_of(const Job& job, const IndexSet& indexes) {
  RerunRequest request;
  request.indexes = indexes;
  const auto made = make_rerun(job, request);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  return made.value_or(Job());
}

std::string refusal(const Job& job, const IndexSet& indexes = {3}) {
  RerunRequest request;
  request.indexes = indexes;
  const auto made = make_rerun(job, request);
  return made ? "made" : made.error().message;
}

std::string annotation_of(const Job& job, const std::string& key) {
  const auto found = job.metadata().annotations().find(key);
  return found == job.metadata().annotations().end() ? "absent" : found->second;
}

TEST(RerunJob, AllOtherIndexesAreCompletedFromTheStart) {
  const Job made = rerun_of(failed_job(), {3, 7});
  EXPECT_EQ(annotation_of(made, kCompleted), "0-2,4-6,8,9");
  EXPECT_EQ(annotation_of(made, kRerunOf), fmt::format("default/myjob/{}", api::testing::kUid));
  EXPECT_EQ(made.spec().completions(), 10);
  EXPECT_EQ(annotation_of(rerun_of(failed_job(), {0, 9}), kCompleted), "1-8");
}

TEST(RerunJob, AServerTakesItAsANewJob) {
  Job made = rerun_of(failed_job(), {3, 7});
  made.mutable_metadata()->set_name(made.metadata().generate_name() + "abcde");
  EXPECT_THAT(api::testing::create_errors(made), IsEmpty());
}

TEST(RerunJob, AJobThatRunsAllIndexesHasNoList) {
  IndexSet all;
  all.insert(IndexSet::Interval{0, 9});
  EXPECT_EQ(annotation_of(rerun_of(failed_job(), all), kCompleted), "absent");
}

TEST(RerunJob, NothingThatBelongsToTheOldJobIsTakenOver) {
  Job job = failed_job();
  job.mutable_spec()->set_suspend(true);
  auto& metadata = *job.mutable_metadata();
  metadata.add_finalizers("example.com/f");
  metadata.add_owner_references()->set_name("nightly");
  metadata.add_managed_fields()->set_manager("kubectl");
  metadata.set_resource_version("7");
  auto& annotations = *metadata.mutable_annotations();
  annotations[kRecord] = "v1;counts=1:3";
  annotations["kubectl.kubernetes.io/last-applied-configuration"] = "{}";
  annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"] = "2026-01-01T00:00:00Z";
  annotations["example.com/owner"] = "team-a";
  (*metadata.mutable_labels())["app"] = "sweep";
  api::testing::label(job, "app") = "sweep";

  const Job made = rerun_of(job, {3});
  EXPECT_FALSE(made.has_status());
  EXPECT_FALSE(made.spec().has_selector());
  EXPECT_FALSE(made.spec().suspend());
  EXPECT_EQ(made.metadata().uid(), "");
  EXPECT_EQ(made.metadata().resource_version(), "");
  EXPECT_EQ(made.metadata().generation(), 0);
  EXPECT_EQ(made.metadata().finalizers_size(), 0);
  EXPECT_EQ(made.metadata().owner_references_size(), 0);
  EXPECT_EQ(made.metadata().managed_fields_size(), 0);
  EXPECT_FALSE(made.metadata().has_creation_timestamp());
  EXPECT_THAT(made.metadata().labels(), UnorderedElementsAre(Pair("app", "sweep")));
  EXPECT_THAT(made.spec().template_().metadata().labels(),
              UnorderedElementsAre(Pair("app", "sweep")));
  EXPECT_EQ(annotation_of(made, "example.com/owner"), "team-a");
  EXPECT_EQ(made.metadata().annotations_size(), 3);
}

TEST(RerunJob, TheNameComesFromThatOfTheFirstJob) {
  Job job = failed_job();
  EXPECT_EQ(rerun_of(job, {3}).metadata().generate_name(), "myjob-rerun-");
  job.mutable_metadata()->set_name("myjob-rerun-x7k2p");
  EXPECT_EQ(rerun_of(job, {3}).metadata().generate_name(), "myjob-rerun-x7k2p-rerun-");
  (*job.mutable_metadata()->mutable_annotations())[kRerunOf] = "default/myjob/u";
  EXPECT_EQ(rerun_of(job, {3}).metadata().generate_name(), "myjob-rerun-");
  RerunRequest named;
  named.indexes = {3};
  named.name = "again";
  EXPECT_EQ(make_rerun(job, named)->metadata().name(), "again");
  EXPECT_EQ(make_rerun(job, named)->metadata().generate_name(), "");
}

TEST(RerunJob, ALongNameIsCutSoThatPodsGetTheirHostnames) {
  Job job = failed_job();
  job.mutable_metadata()->set_name(std::string(61, 'a'));
  const std::string prefix = rerun_of(job, {3}).metadata().generate_name();
  EXPECT_EQ(prefix, std::string(49, 'a') + "-rerun-");
  EXPECT_EQ((prefix + "xxxxx-9").size(), 63u);
}

TEST(RerunJob, AJobWithoutNumbersIsRefused) {
  Job job = failed_job();
  job.mutable_spec()->set_completion_mode("NonIndexed");
  EXPECT_THAT(refusal(job), HasSubstr("job/myjob is not an Indexed Job"));
}

TEST(RerunJob, AJobThatIsNotFinishedIsRefused) {
  Job job = failed_job();
  job.mutable_status()->clear_conditions();
  EXPECT_THAT(refusal(job), HasSubstr("job/myjob is not finished"));
  api::testing::set_condition(job, "Complete");
  EXPECT_EQ(refusal(job), "made");
}

TEST(RerunJob, AJobWithASelectorOfItsOwnIsRefused) {
  Job job = failed_job();
  job.mutable_spec()->set_manual_selector(true);
  EXPECT_THAT(refusal(job), HasSubstr("spec.manualSelector"));
}

TEST(RerunJob, IndexesMustExist) {
  EXPECT_THAT(refusal(failed_job(), {3, 10}), HasSubstr("index 10 does not exist"));
  EXPECT_THAT(refusal(failed_job(), {}), HasSubstr("no index to run"));
}

TEST(RerunJob, ASuccessPolicyThatIsMetAtOnceIsRefused) {
  Job job = failed_job();
  auto& rule = *job.mutable_spec()->mutable_success_policy()->add_rules();
  rule.set_succeeded_indexes("0-4");
  rule.set_succeeded_count(4);
  EXPECT_THAT(refusal(job, {3}), HasSubstr("would run nothing"));
  EXPECT_EQ(refusal(job, {3, 4}), "made");
}

TEST(RerunJob, AListThatIsTooLongIsRefused) {
  Job job = failed_job();
  job.mutable_spec()->set_completions(1'000'000);
  IndexSet odd;
  for (int32_t i = 1; i < 100'000; i += 2) {
    odd.insert(i);
  }
  EXPECT_THAT(refusal(job, odd), HasSubstr("bytes, and may take 131072"));
}

TEST(RerunJob, FailedIndexesAreThoseOfTheStatus) {
  Job job = failed_job();
  EXPECT_EQ(failed_indexes(job)->to_string(), "3,7");
  job.mutable_status()->set_failed_indexes("");
  EXPECT_THAT(failed_indexes(job).error().message, HasSubstr("no index of job/myjob failed"));
  job.mutable_status()->clear_failed_indexes();
  EXPECT_THAT(failed_indexes(job).error().message, HasSubstr("--unfinished"));
  job.mutable_status()->set_completed_indexes("0-9");
  EXPECT_EQ(failed_indexes(job).error().message, "every index of job/myjob is completed");
}

TEST(RerunJob, UnfinishedIndexesAreAllThatAreNotCompleted) {
  Job job = failed_job();
  EXPECT_EQ(unfinished_indexes(job)->to_string(), "3,7,9");
  job.mutable_status()->set_completed_indexes("");
  EXPECT_EQ(unfinished_indexes(job)->to_string(), "0-9");
  job.mutable_status()->set_completed_indexes("0-9");
  EXPECT_EQ(unfinished_indexes(job).error().message, "every index of job/myjob is completed");
}

api::ObjectPtr pod_of(int index, int failures, const std::string& phase, int exit_code = 1) {
  auto pod = std::make_shared<Pod>();
  auto& annotations = *pod->mutable_metadata()->mutable_annotations();
  annotations["batch.kubernetes.io/job-completion-index"] = std::to_string(index);
  annotations["batch.kubernetes.io/job-index-failure-count"] = std::to_string(failures);
  pod->mutable_status()->set_phase(phase);
  auto& status = *pod->mutable_status()->add_container_statuses();
  status.set_name("main");
  status.mutable_state()->mutable_terminated()->set_exit_code(exit_code);
  return pod;
}

TEST(RerunJob, Rule12_6_CountsComeFromPodsAndTheRecord) {
  Job job = failed_job();
  api::testing::add_exit_code_rule(job, "Ignore");
  (*job.mutable_metadata()->mutable_annotations())[kRecord] =
      "v1;counts=2:9;job=" + std::string(api::testing::kUid);
  RerunRequest request;
  request.indexes = {3, 7, 9};
  request.counts = kept_counts(job,
                               {pod_of(3, 0, "Failed"), pod_of(3, 1, "Failed"),
                                pod_of(7, 1, "Failed", 42), pod_of(4, 1, "Failed")},
                               request.indexes);
  EXPECT_EQ(annotation_of(*make_rerun(job, request), kRecord), "v1;counts=1/1:7|2:3,9");
}

}  // namespace
}  // namespace windlass::cli
