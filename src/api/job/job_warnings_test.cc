#include "api/job/job_warnings.h"

#include <gtest/gtest.h>

#include "api/job/job_testing.h"

namespace windlass::api {
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
