#include "cli/commands/doctor/doctor_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"
#include "cli/commands/controller/controller.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Time kNow = time_from_unix(1'700'000'000);

JobFacts quiet_job() {
  JobFacts job;
  job.key = "ns/j";
  job.uid = "u";
  job.version = "7";
  job.manager = api::kBuiltInJobController;
  job.created = kNow - hours(1);
  job.begun = true;
  return job;
}

PodFacts ended_pod(Duration ago) {
  PodFacts pod;
  pod.key = "ns/p";
  pod.uid = "pu";
  pod.job_uid = "u";
  pod.ended = true;
  pod.ended_at = kNow - ago;
  pod.finalizer = kOwnTrackingFinalizer;
  return pod;
}

// `check object`, one for each finding.
std::vector<std::string> found_in(const ClusterFacts& facts) {
  std::vector<std::string> texts;
  for (const Finding& finding : examine(facts, {kNow})) {
    texts.push_back(finding.check + ' ' + finding.object);
  }
  return texts;
}

TEST(DoctorChecks, AHealthyClusterHasNoFindings) {
  JobFacts busy = quiet_job();
  busy.active = 1;
  PodFacts running = ended_pod(Duration::zero());
  running.ended = false;
  EXPECT_THAT(found_in({{busy}, {running}, {}}), IsEmpty());
  JobFacts waiting = quiet_job();
  waiting.begun = false;
  waiting.suspended = true;
  EXPECT_THAT(found_in({{waiting}, {}, {}}), IsEmpty());
}

TEST(DoctorChecks, PodsStuckOnTheirFinalizer) {
  EXPECT_THAT(found_in({{quiet_job()}, {ended_pod(seconds(5))}, {}}), IsEmpty());
  EXPECT_THAT(found_in({{quiet_job()}, {ended_pod(minutes(5))}, {}}),
              ElementsAre("stuck-pod pod ns/p"));
  EXPECT_THAT(found_in({{}, {ended_pod(seconds(5))}, {}}), ElementsAre("stuck-pod pod ns/p"));
  JobFacts finished = quiet_job();
  finished.finished = true;
  const auto findings = examine({{finished}, {ended_pod(seconds(5))}, {}}, {kNow});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].what,
            "it still has the finalizer windlass.dev/job-tracking, although Job j has finished");
  EXPECT_THAT(findings[0].advice, HasSubstr("kubectl -n ns patch pod p --type=strategic"));
}

TEST(DoctorChecks, CountersThatDisagreeWithPods) {
  JobFacts job = quiet_job();
  job.active = 2;
  EXPECT_THAT(found_in({{job}, {}, {}}), ElementsAre("counters job ns/j"));
  job.manager = "kueue.x-k8s.io/multikueue";  // its pods are in another cluster
  EXPECT_THAT(found_in({{job}, {}, {}}), IsEmpty());
  job = quiet_job();
  PodFacts counted = ended_pod(seconds(5));
  counted.succeeded = true;
  counted.finalizer.clear();
  EXPECT_THAT(found_in({{job}, {counted}, {}}), ElementsAre("counters job ns/j"));
  job.succeeded = 1;
  EXPECT_THAT(found_in({{job}, {counted}, {}}), IsEmpty());
}

TEST(DoctorChecks, JobsThatNobodyManages) {
  JobFacts job = quiet_job();
  job.begun = false;
  job.manager = "example.com/nobody";
  const auto findings = examine({{job}, {}, {}}, {kNow});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].check, "unmanaged");
  EXPECT_THAT(findings[0].advice, HasSubstr("check that controller example.com/nobody is running"));
  job.created = kNow - seconds(30);
  EXPECT_THAT(found_in({{job}, {}, {}}), IsEmpty());
}

TEST(DoctorChecks, TwoManagersAtWork) {
  JobFacts job = quiet_job();
  job.writers = {{"kube-controller-manager", kNow - minutes(1)}, {"windlass", kNow - minutes(2)}};
  EXPECT_THAT(found_in({{job}, {}, {}}), ElementsAre("two-managers job ns/j"));
  job.writers[1].last = kNow - hours(1);
  EXPECT_THAT(found_in({{job}, {}, {}}), IsEmpty());
  job.writers[1] = {"kubectl-edit", kNow};
  EXPECT_THAT(found_in({{job}, {}, {}}), IsEmpty());
  job.writers.clear();
  PodFacts one = ended_pod(seconds(1));
  PodFacts other = one;
  other.key = "ns/q";
  other.finalizer = "batch.kubernetes.io/job-tracking";
  EXPECT_THAT(found_in({{job}, {one, other}, {}}), ElementsAre("two-managers job ns/j"));
}

TEST(DoctorChecks, StatusThatIsRefused) {
  EXPECT_THAT(found_in({{quiet_job()}, {}, {{"ns/j", "is invalid", kNow - minutes(1)}}}),
              ElementsAre("refused-status job ns/j"));
  EXPECT_THAT(found_in({{quiet_job()}, {}, {{"ns/j", "is invalid", kNow - hours(1)}}}), IsEmpty());
}

TEST(DoctorChecks, OnlyWhatLastsCounts) {
  const std::vector<Finding> first = {{"counters", "job ns/j", "", "", "7"},
                                      {"stuck-pod", "pod ns/p", "", "", "pu"}};
  const std::vector<Finding> second = {{"counters", "job ns/j", "", "", "8"},
                                       {"stuck-pod", "pod ns/p", "", "", "pu"},
                                       {"stuck-pod", "pod ns/q", "", "", "qu"}};
  const auto both = lasting(first, second);
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0].object, "pod ns/p");
}

TEST(DoctorFacts, OfJobsAndPods) {
  const JobFacts job = read_job_facts(api::testing::from_yaml<api::batch::v1::Job>(R"(
metadata:
  name: j
  namespace: ns
  uid: u
  managedFields: [{manager: windlass, subresource: status}, {manager: kubectl}]
spec: {managedBy: example.com/x, completionMode: Indexed}
status: {active: 2, succeeded: 3, startTime: "2024-01-01T00:00:00Z",
  uncountedTerminatedPods: {succeeded: [a]}}
)"));
  EXPECT_EQ(job.key, "ns/j");
  EXPECT_EQ(job.manager, "example.com/x");
  EXPECT_TRUE(job.indexed && job.begun);
  EXPECT_EQ(job.succeeded, 4);
  ASSERT_EQ(job.writers.size(), 1u);
  EXPECT_EQ(job.writers[0].name, "windlass");

  const auto pod = read_pod_facts(api::testing::from_yaml<api::core::v1::Pod>(R"(
metadata: {name: p, namespace: ns, finalizers: [a.b/c, batch.kubernetes.io/job-tracking]}
status:
  phase: Failed
  containerStatuses: [{name: c, state: {terminated: {exitCode: 1, finishedAt: "2024-01-01T00:00:20Z"}}}]
)"));
  ASSERT_TRUE(pod.has_value());
  EXPECT_TRUE(pod->ended);
  EXPECT_EQ(pod->finalizer, "batch.kubernetes.io/job-tracking");
  EXPECT_EQ(pod->ended_at, time_from_unix(1704067220));
  EXPECT_FALSE(read_pod_facts(api::core::v1::Pod()).has_value());
}

// Those that a failure policy is about seldom have an end of their main containers.
TEST(DoctorFacts, OfPodsThatEndedBeforeTheirMainContainers) {
  const auto ended_at = [](const std::string& status) {
    const auto pod = read_pod_facts(api::testing::from_yaml<api::core::v1::Pod>(
        "{metadata: {name: p, namespace: ns, finalizers: [batch.kubernetes.io/job-tracking], "
        "creationTimestamp: '2024-01-01T00:00:00Z'}, status: {" +
        status + "}}"));
    return pod && pod->ended_at ? format_rfc3339(*pod->ended_at) : "";
  };
  EXPECT_EQ(ended_at("phase: Failed, initContainerStatuses: [{name: i, state: {terminated: "
                     "{exitCode: 1, finishedAt: '2024-01-01T00:00:30Z'}}}], containerStatuses: "
                     "[{name: c, state: {waiting: {reason: PodInitializing}}}]"),
            "2024-01-01T00:00:30Z");
  EXPECT_EQ(ended_at("phase: Failed, reason: Evicted, conditions: [{type: Ready, status: 'False', "
                     "lastTransitionTime: '2024-01-01T00:00:20Z'}]"),
            "2024-01-01T00:00:20Z");
  EXPECT_EQ(ended_at("phase: Failed, reason: OutOfcpu"), "2024-01-01T00:00:00Z");
  EXPECT_EQ(ended_at("phase: Running, initContainerStatuses: [{name: i, state: {terminated: "
                     "{exitCode: 0, finishedAt: '2024-01-01T00:00:30Z'}}}]"),
            "");
}

}  // namespace
}  // namespace windlass::cli
