#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/simulation/faults/fault_search.h"

namespace windlass::verify::simulation {
namespace {

using ::testing::ElementsAre;

// Monitors that cannot fail prove nothing: each is shown what it must catch.
class MonitorTest : public ::testing::Test {
 protected:
  MonitorTest() {
    job_.uid = "job-uid";
    job_.key = "default/j";
    job_.completions = 2;
  }

  std::vector<std::string> rules() const {
    std::vector<std::string> rules;
    for (const Broken& broken : report_.all()) {
      rules.push_back(broken.rule);
    }
    return rules;
  }
  void commit(JobSnapshot after) {
    after.version = ++version_;
    const WriteOrigin writer{"job-controller", 0};
    const JobChange change{has_job_ ? &job_ : nullptr, &after, writer, {}};
    history_.on_job(change);
    for (const auto& monitor : monitors_) {
      monitor->on_job(change, history_, report_);
    }
    job_ = after;
    has_job_ = true;
  }
  static PodSnapshot pod(const std::string& name) {
    PodSnapshot facts;
    facts.uid = name;
    facts.key = "default/" + name;
    facts.phase = "Pending";
    return facts;
  }
  void commit(const PodSnapshot* before, PodSnapshot* after, const std::string& component) {
    after->version = ++version_;
    const WriteOrigin writer{component, 0};
    const PodChange change{before, after, writer, {}};
    history_.on_pod(change);
    for (const auto& monitor : monitors_) {
      monitor->on_pod(change, history_, report_);
    }
  }
  void come_to_rest() {
    for (const auto& monitor : monitors_) {
      monitor->at_rest(history_, report_);
    }
  }
  static ConditionSnapshot condition(const std::string& type, const std::string& reason = "") {
    return {type, "True", reason, "", {}};
  }

  History history_;
  Report report_;
  Monitors monitors_ = all_monitors({});
  JobSnapshot job_;
  bool has_job_ = false;
  uint64_t version_ = 1;
};

TEST_F(MonitorTest, C2_SeesACounterGoBack) {
  JobSnapshot job = job_;
  job.failed = 1;
  commit(job);
  job.failed = 0;
  commit(job);
  EXPECT_THAT(rules(), ElementsAre("C1", "C2"));
}

TEST_F(MonitorTest, C1_SeesAPodCountedTwice) {
  JobSnapshot job = job_;
  commit(job);
  job.uncounted_failed = {"p"};
  commit(job);
  job.uncounted_failed = {};
  job.failed = 1;
  commit(job);
  job.uncounted_failed = {"p"};
  commit(job);
  EXPECT_THAT(rules(), ::testing::Contains("C1"));
}

TEST_F(MonitorTest, T1T3_SeeTwoEndsAndAnEndWithoutAVerdict) {
  JobSnapshot job = job_;
  job.start = Time{};
  commit(job);
  job.conditions = {condition("Complete"), condition("Failed")};
  commit(job);
  EXPECT_THAT(rules(), ::testing::IsSupersetOf({"T1", "T3"}));
}

TEST_F(MonitorTest, T2_SeesAVerdictTakenBack) {
  JobSnapshot job = job_;
  job.conditions = {condition("FailureTarget", "BackoffLimitExceeded")};
  job.failed = 7;
  commit(job);
  job.conditions = {};
  commit(job);
  EXPECT_THAT(rules(), ElementsAre("T2"));
}

TEST_F(MonitorTest, C3C4C5_SeeWrongIndexes) {
  JobSnapshot job = job_;
  job.indexed = true;
  commit(job);
  job.completed_text = "0,1,2";
  job.completed_indexes = {0, 1, 2};
  job.failed_text = "1";
  job.failed_indexes = {1};
  commit(job);
  EXPECT_THAT(rules(), ::testing::IsSupersetOf({"C3", "C4", "C5"}));
}

TEST_F(MonitorTest, Rule12_2_SeesAFirstStatusWithoutTheIndexesThatTheJobStartsWith) {
  JobSnapshot job = job_;
  job.indexed = true;
  job.completed_at_start = "1";
  commit(job);
  job.start = Time{};
  commit(job);
  EXPECT_THAT(rules(), ElementsAre("12.2"));
}

TEST_F(MonitorTest, N7_SeesANodeThatIsOvercommitted) {
  history_.on_node({.name = "n", .ready = "True", .milli_cpu = 1000}, true, {});
  for (const char* name : {"a", "b"}) {
    PodSnapshot waiting = pod(name);
    waiting.milli_cpu = 600;
    commit(nullptr, &waiting, "");
    PodSnapshot bound = waiting;
    bound.node = "n";
    EXPECT_THAT(rules(), ::testing::IsEmpty());
    commit(&waiting, &bound, "scheduler");
  }
  EXPECT_THAT(rules(), ElementsAre("N7"));
}

TEST_F(MonitorTest, C7_SeesADeleteWithoutAMark) {
  PodSnapshot running = pod("a");
  commit(nullptr, &running, "");
  PodSnapshot deleted = running;
  deleted.deleting = true;
  commit(&running, &deleted, "scheduler");
  EXPECT_THAT(rules(), ElementsAre("disruption C-7"));
}

TEST_F(MonitorTest, F7_SeesAPodThatIsLetGoWithoutARecord) {
  commit(job_);
  PodSnapshot tracked = pod("a");
  tracked.job = job_.uid;
  tracked.finalizer = true;
  commit(nullptr, &tracked, "");
  PodSnapshot released = tracked;
  released.finalizer = false;
  history_.on_attempt("a", "Failed");
  commit(&tracked, &released, "job-controller");
  EXPECT_THAT(rules(), ::testing::Not(::testing::Contains("F7")));
  PodSnapshot other = pod("b");
  other.job = job_.uid;
  other.finalizer = true;
  commit(nullptr, &other, "");
  PodSnapshot freed = other;
  freed.finalizer = false;
  commit(&other, &freed, "");  // by a user
  EXPECT_THAT(rules(), ::testing::Not(::testing::Contains("F7")));
  commit(&other, &freed, "job-controller");
  EXPECT_THAT(rules(), ::testing::Contains("F7"));
}

TEST_F(MonitorTest, D12_SeesAMarkThatStays) {
  PodSnapshot marked = pod("a");
  marked.conditions = {condition("DisruptionTarget", "PreemptionByScheduler")};
  commit(nullptr, &marked, "");
  come_to_rest();
  EXPECT_THAT(rules(), ElementsAre("disruption D-12"));
}

}  // namespace
}  // namespace windlass::verify::simulation
