// What a Job's status may say (api.md J121-J142a).
#include <gtest/gtest.h>

#include <functional>

#include "api/job/job_testing.h"

namespace windlass::api {
namespace {

using testing::created;
using testing::indexed_job;
using testing::Job;
using testing::minimal_job;
using testing::set_condition;
using testing::status_errors;
using testing::Texts;

constexpr int64_t kStart = 1'700'000'100;
constexpr int64_t kEnd = 1'700'000'200;
constexpr std::string_view kEndText = "\"2023-11-14T22:16:40Z\"";

using Edit = std::function<void(Job&)>;

// `conditions: Invalid value: ` prints no value.
std::string on_conditions(std::string_view why) {
  return "status.conditions: Invalid value: " + std::string(why);
}

Job running(Job job) {
  job = created(std::move(job));
  job.mutable_status()->mutable_start_time()->set_seconds(kStart);
  return job;
}

Job running() {
  return running(minimal_job());
}

Job running_indexed() {
  Job job = indexed_job(10);
  job.mutable_spec()->set_backoff_limit_per_index(1);
  return running(job);
}

void complete(Job& job) {
  set_condition(job, "SuccessCriteriaMet");
  set_condition(job, "Complete");
  job.mutable_status()->mutable_completion_time()->set_seconds(kEnd);
}

void fail_job(Job& job) {
  set_condition(job, "FailureTarget");
  set_condition(job, "Failed");
}

Texts after(const Job& old_job, const Edit& edit) {
  Job job = old_job;
  edit(job);
  return status_errors(old_job, job);
}

TEST(JobStatus, GoodEndsAreAccepted) {
  EXPECT_EQ(after(running(), complete), Texts{});
  EXPECT_EQ(after(running(), fail_job), Texts{});
  EXPECT_EQ(after(running_indexed(), complete), Texts{});
}

TEST(JobStatus, J121_CountersAreNotNegative) {
  const Texts errors = after(running(), [](Job& job) {
    auto& status = *job.mutable_status();
    status.set_active(-1);
    status.set_succeeded(-1);
    status.set_failed(-1);
    status.set_ready(-1);
    status.set_terminating(-1);
  });
  Texts expected;
  for (const std::string name : {"active", "succeeded", "failed", "ready", "terminating"}) {
    expected.push_back("status." + name +
                       ": Invalid value: -1: must be greater than or equal to 0");
  }
  // They also went down.
  expected.push_back("status.failed: Invalid value: -1: cannot decrease the failed counter");
  expected.push_back("status.succeeded: Invalid value: -1: cannot decrease the succeeded counter");
  EXPECT_EQ(errors, expected);
  EXPECT_EQ(after(running(), [](Job& job) { job.mutable_status()->set_ready(0); }), Texts{});
}

TEST(JobStatus, J121_UncountedUidsAreThereAndUnique) {
  EXPECT_EQ(after(running(),
                  [](Job& job) {
                    auto& uncounted = *job.mutable_status()->mutable_uncounted_terminated_pods();
                    uncounted.add_succeeded("a");
                    uncounted.add_failed("b");
                  }),
            Texts{});
  EXPECT_EQ(after(running(),
                  [](Job& job) {
                    auto& uncounted = *job.mutable_status()->mutable_uncounted_terminated_pods();
                    uncounted.add_succeeded("");
                    uncounted.add_succeeded("a");
                    uncounted.add_succeeded("a");
                    uncounted.add_failed("");
                    uncounted.add_failed("a");
                  }),
            (Texts{"status.uncountedTerminatedPods.succeeded[0]: Invalid value: \"\": must not be "
                   "empty",
                   "status.uncountedTerminatedPods.succeeded[2]: Duplicate value: \"a\"",
                   "status.uncountedTerminatedPods.failed[0]: Invalid value: \"\": must not be "
                   "empty",
                   "status.uncountedTerminatedPods.failed[1]: Duplicate value: \"a\""}));
}

TEST(JobStatus, J122_SuccessAndFailureExcludeEachOther) {
  const std::string with_failed =
      on_conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  const std::string with_target =
      on_conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  const Edit both = [](Job& job) {
    set_condition(job, "SuccessCriteriaMet");
    fail_job(job);
  };
  EXPECT_EQ(after(running(), both), (Texts{with_failed, with_target}));
  EXPECT_EQ(after(running(),
                  [](Job& job) {
                    set_condition(job, "SuccessCriteriaMet");
                    set_condition(job, "FailureTarget");
                  }),
            Texts{with_target});
  // Always: also for a Job that is stored like that.
  Job bad = running();
  both(bad);
  EXPECT_EQ(status_errors(bad, bad), (Texts{with_failed, with_target}));
}

TEST(JobStatus, J122_SuccessPolicyNeedsItsCriteria) {
  Job base = indexed_job(10);
  base.mutable_spec()->mutable_success_policy()->add_rules()->set_succeeded_count(1);
  const Job old_job = running(base);
  EXPECT_EQ(after(old_job, complete), Texts{});
  const std::string error = on_conditions(
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  Job bad = old_job;
  set_condition(bad, "Complete");
  bad.mutable_status()->mutable_completion_time()->set_seconds(kEnd);
  EXPECT_EQ(status_errors(bad, bad), Texts{error});
}

TEST(JobStatus, J123_SuccessCriteriaAreKept) {
  Job met = running();
  set_condition(met, "SuccessCriteriaMet");
  EXPECT_EQ(after(met, [](Job& job) { set_condition(job, "SuccessCriteriaMet", "False"); }),
            Texts{on_conditions("cannot disable the SuccessCriteriaMet=True condition")});
  EXPECT_EQ(after(met, [](Job& job) { job.mutable_status()->clear_conditions(); }),
            Texts{on_conditions("cannot disable the SuccessCriteriaMet=True condition")});
}

TEST(JobStatus, J123_SuccessCriteriaAreNotAddedLater) {
  Job done = running();
  set_condition(done, "Complete");
  done.mutable_status()->mutable_completion_time()->set_seconds(kEnd);
  EXPECT_EQ(after(done, [](Job& job) { set_condition(job, "SuccessCriteriaMet"); }),
            Texts{on_conditions("cannot set SuccessCriteriaMet=True for Job already has "
                                "Complete=true conditions")});
}

TEST(JobStatus, J124_TerminalConditionsAreKept) {
  Job failed = running();
  fail_job(failed);
  EXPECT_EQ(after(failed, [](Job& job) { set_condition(job, "Failed", "False"); }),
            Texts{on_conditions("cannot disable the terminal Failed=True condition")});
  EXPECT_EQ(after(failed, [](Job& job) { job.mutable_status()->clear_conditions(); }),
            (Texts{on_conditions("cannot disable the terminal Failed=True condition"),
                   on_conditions("cannot disable the terminal FailureTarget=True condition")}));

  Job target = running();
  set_condition(target, "FailureTarget");
  EXPECT_EQ(after(target, [](Job& job) { set_condition(job, "FailureTarget", "Unknown"); }),
            Texts{on_conditions("cannot disable the terminal FailureTarget=True condition")});

  Job done = running();
  complete(done);
  EXPECT_EQ(after(done,
                  [](Job& job) {
                    set_condition(job, "Complete", "False");
                    job.mutable_status()->clear_completion_time();
                  }),
            Texts{on_conditions("cannot disable the terminal Complete=True condition")});
}

TEST(JobStatus, J125_CountersDoNotDecrease) {
  Job counted = running();
  counted.mutable_status()->set_failed(3);
  counted.mutable_status()->set_succeeded(3);
  EXPECT_EQ(after(counted,
                  [](Job& job) {
                    job.mutable_status()->set_failed(2);
                    job.mutable_status()->set_succeeded(2);
                  }),
            (Texts{"status.failed: Invalid value: 2: cannot decrease the failed counter",
                   "status.succeeded: Invalid value: 2: cannot decrease the succeeded counter"}));
  EXPECT_EQ(after(counted, [](Job& job) { job.mutable_status()->set_failed(4); }), Texts{});
}

TEST(JobStatus, J125_ElasticJobsMayForgetSuccesses) {
  Job elastic = running_indexed();
  elastic.mutable_status()->set_succeeded(5);
  const Edit fewer = [](Job& job) { job.mutable_status()->set_succeeded(4); };
  EXPECT_EQ(after(elastic, fewer),
            Texts{"status.succeeded: Invalid value: 4: cannot decrease the succeeded counter"});
  elastic.mutable_spec()->set_parallelism(elastic.spec().completions());
  EXPECT_EQ(after(elastic, fewer), Texts{});
}

TEST(JobStatus, J126_CompletionTimeIsNotChanged) {
  Job done = running();
  complete(done);
  EXPECT_EQ(after(done,
                  [](Job& job) {
                    job.mutable_status()->mutable_completion_time()->set_seconds(kEnd + 1);
                  }),
            Texts{"status.completionTime: Invalid value: \"2023-11-14T22:16:41Z\": field is "
                  "immutable"});
  // A Job that is not Complete may lose it.
  Job odd = running();
  odd.mutable_status()->mutable_completion_time()->set_seconds(kEnd);
  EXPECT_EQ(after(odd, [](Job& job) { job.mutable_status()->clear_completion_time(); }), Texts{});
}

// A rule that is asked when something changes, and not when the bad status was there before.
struct ChangeCase {
  std::string_view rule;
  Edit bad;
  Texts errors;
};

void expect_only_when_changed(const Job& old_job, const ChangeCase& c) {
  EXPECT_EQ(after(old_job, c.bad), c.errors) << c.rule;
  Job stored = old_job;
  c.bad(stored);
  const Texts unrelated =
      after(stored, [](Job& job) { set_condition(job, "CustomConditionType"); });
  EXPECT_EQ(unrelated, Texts{}) << c.rule;
}

TEST(JobStatus, J127_CompleteAndFailedExcludeEachOther) {
  Job failed = running();
  fail_job(failed);
  // J128 and J122 say the same of the conditions that come with them.
  const Texts errors = after(failed, complete);
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0], on_conditions("cannot set Complete=True and Failed=true conditions"));
  Job stored = failed;
  complete(stored);
  for (const std::string& error :
       after(stored, [](Job& job) { set_condition(job, "CustomConditionType"); })) {
    EXPECT_EQ(error.find("Complete=True"), std::string::npos) << error;
  }
}

TEST(JobStatus, J128_CompleteAndFailureTargetExcludeEachOther) {
  Job done = running();
  set_condition(done, "Complete");
  done.mutable_status()->mutable_completion_time()->set_seconds(kEnd);
  expect_only_when_changed(
      done, {"J128",
             [](Job& job) { set_condition(job, "FailureTarget"); },
             {on_conditions("cannot set Complete=True and FailureTarget=true conditions")}});
}

TEST(JobStatus, J129_CompletionTimeBelongsToCompleteJobs) {
  expect_only_when_changed(
      running(),
      {"J129 without Complete",
       [](Job& job) { job.mutable_status()->mutable_completion_time()->set_seconds(kEnd); },
       {"status.completionTime: Invalid value: " + std::string(kEndText) +
        ": cannot set completionTime when there is no Complete=True condition"}});
  expect_only_when_changed(
      running(), {"J129 without time",
                  [](Job& job) {
                    complete(job);
                    job.mutable_status()->clear_completion_time();
                  },
                  {"status.completionTime: Required value: completionTime is required for Complete "
                   "jobs"}});
}

TEST(JobStatus, J130_CompletionIsNotBeforeStart) {
  expect_only_when_changed(
      running(), {"J130",
                  [](Job& job) {
                    complete(job);
                    job.mutable_status()->mutable_completion_time()->set_seconds(kStart - 1);
                  },
                  {"status.completionTime: Invalid value: \"2023-11-14T22:14:59Z\": must be equal "
                   "to or after `startTime`"}});
  EXPECT_EQ(after(running(),
                  [](Job& job) {
                    complete(job);
                    job.mutable_status()->mutable_completion_time()->set_seconds(kStart);
                  }),
            Texts{});
}

TEST(JobStatus, J131_FailedNeedsFailureTarget) {
  expect_only_when_changed(
      running(),
      {"J131",
       [](Job& job) { set_condition(job, "Failed"); },
       {on_conditions(
           "cannot set Failed=True condition without the FailureTarget=true condition")}});
}

TEST(JobStatus, J131_AskedAgainWhenFailedIndexesChange) {
  Job failed = running_indexed();
  set_condition(failed, "Failed");
  EXPECT_EQ(after(failed, [](Job& job) { job.mutable_status()->set_failed_indexes("1"); }),
            Texts{on_conditions(
                "cannot set Failed=True condition without the FailureTarget=true condition")});
}

TEST(JobStatus, J132_CompleteNeedsSuccessCriteriaMet) {
  expect_only_when_changed(running(),
                           {"J132",
                            [](Job& job) {
                              set_condition(job, "Complete");
                              job.mutable_status()->mutable_completion_time()->set_seconds(kEnd);
                            },
                            {on_conditions("cannot set Complete=True condition without the "
                                           "SuccessCriteriaMet=true condition")}});
}

TEST(JobStatus, J133_FinishedJobsHaveNoActivePods) {
  for (const Edit& end : {Edit(complete), Edit(fail_job)}) {
    expect_only_when_changed(
        running(), {"J133",
                    [&](Job& job) {
                      end(job);
                      job.mutable_status()->set_active(1);
                    },
                    {"status.active: Invalid value: 1: active>0 is invalid for finished job"}});
  }
}

TEST(JobStatus, J134_FinishedJobsHaveStarted) {
  const Texts required{"status.startTime: Required value: startTime is required for finished job"};
  const Job pending = created(minimal_job());
  expect_only_when_changed(pending, {"J134", fail_job, required});

  Job empty = minimal_job();
  empty.mutable_spec()->set_completions(0);
  EXPECT_EQ(after(created(empty), complete), required);
  empty.mutable_spec()->set_suspend(true);
  EXPECT_EQ(after(created(empty), complete), Texts{});
  Job suspended = minimal_job();
  suspended.mutable_spec()->set_suspend(true);
  EXPECT_EQ(after(created(suspended), fail_job), required);
}

TEST(JobStatus, J135_FinishedJobsHaveCountedEverything) {
  expect_only_when_changed(
      running(), {"J135",
                  [](Job& job) {
                    fail_job(job);
                    job.mutable_status()->mutable_uncounted_terminated_pods()->add_failed("x");
                  },
                  {"status.uncountedTerminatedPods: Invalid value: {\"failed\":[\"x\"]}: must be "
                   "empty for finished job"}});
  EXPECT_EQ(after(running(),
                  [](Job& job) {
                    fail_job(job);
                    job.mutable_status()->mutable_uncounted_terminated_pods();
                  }),
            Texts{});
}

TEST(JobStatus, J136_FinishedJobsHaveNoTerminatingPods) {
  expect_only_when_changed(
      running(),
      {"J136",
       [](Job& job) {
         fail_job(job);
         job.mutable_status()->set_terminating(1);
       },
       {"status.terminating: Invalid value: 1: terminating>0 is invalid for finished job"}});
  EXPECT_EQ(after(running(),
                  [](Job& job) {
                    fail_job(job);
                    job.mutable_status()->set_terminating(0);
                  }),
            Texts{});
}

TEST(JobStatus, J137_CompletedIndexes) {
  const Edit good = [](Job& job) { job.mutable_status()->set_completed_indexes("0-3,5"); };
  EXPECT_EQ(after(running_indexed(), good), Texts{});
  expect_only_when_changed(
      running_indexed(),
      {"J137 format",
       [](Job& job) { job.mutable_status()->set_completed_indexes("3,1"); },
       {"status.completedIndexes: Invalid value: \"3,1\": error parsing completedIndexes: "
        "non-increasing order, previous: 3, current: 1"}});
  Job work_queue = minimal_job();
  work_queue.mutable_spec()->set_parallelism(1);
  expect_only_when_changed(running(work_queue),
                           {"J137 mode",
                            good,
                            {"status.completedIndexes: Invalid value: \"0-3,5\": cannot set "
                             "non-empty completedIndexes when non-indexed completion mode"}});
}

TEST(JobStatus, J138_FailedIndexes) {
  EXPECT_EQ(
      after(running_indexed(), [](Job& job) { job.mutable_status()->set_failed_indexes(""); }),
      Texts{});
  expect_only_when_changed(
      running_indexed(),
      {"J138 format",
       [](Job& job) { job.mutable_status()->set_failed_indexes("10"); },
       {"status.failedIndexes: Invalid value: \"10\": error parsing failedIndexes: too large "
        "index: \"10\""}});
  expect_only_when_changed(
      running(indexed_job(10)),
      {"J138 without limit",
       [](Job& job) { job.mutable_status()->set_failed_indexes(""); },
       {"status.failedIndexes: Invalid value: \"\": cannot set non-null failedIndexes when "
        "backoffLimitPerIndex is null"}});
}

TEST(JobStatus, J139_NoIndexIsBothCompletedAndFailed) {
  expect_only_when_changed(
      running_indexed(),
      {"J139",
       [](Job& job) {
         job.mutable_status()->set_completed_indexes("0,2-5,8");
         job.mutable_status()->set_failed_indexes("1,4-7");
       },
       {"status.failedIndexes: Invalid value: \"1,4-7\": failedIndexes and completedIndexes "
        "overlap at index: 4"}});
  EXPECT_EQ(after(running_indexed(),
                  [](Job& job) {
                    job.mutable_status()->set_completed_indexes("0,2-5,8");
                    job.mutable_status()->set_failed_indexes("1,6-7,9");
                  }),
            Texts{});
}

TEST(JobStatus, J140_StartTimeOfAnUnsuspendedJob) {
  const Edit later = [](Job& job) {
    job.mutable_status()->mutable_start_time()->set_seconds(kStart + 1);
  };
  const Edit clear = [](Job& job) { job.mutable_status()->clear_start_time(); };
  EXPECT_EQ(after(running(), later),
            Texts{"status.startTime: Invalid value: \"2023-11-14T22:15:01Z\": field is immutable "
                  "for unsuspended job once set"});
  EXPECT_EQ(after(running(), clear), Texts{"status.startTime: Invalid value: null: field is "
                                           "immutable for unsuspended job once set"});
  EXPECT_EQ(after(created(minimal_job()), later), Texts{});  // the first one

  Job suspended = running();
  suspended.mutable_spec()->set_suspend(true);
  EXPECT_EQ(after(suspended, clear), Texts{});

  Job resuming = running();
  set_condition(resuming, "Suspended");
  EXPECT_EQ(after(resuming,
                  [&](Job& job) {
                    later(job);
                    set_condition(job, "Suspended", "False");
                  }),
            Texts{});
  EXPECT_EQ(after(resuming,
                  [&](Job& job) {
                    later(job);
                    job.mutable_status()->clear_conditions();
                  }),
            Texts{"status.startTime: Invalid value: \"2023-11-14T22:15:01Z\": field is immutable "
                  "for unsuspended job once set"})
      << "a condition that is gone does not say that the Job goes on";
}

TEST(JobStatus, J141_ReadyPodsAreActive) {
  expect_only_when_changed(
      running(), {"J141",
                  [](Job& job) {
                    job.mutable_status()->set_active(1);
                    job.mutable_status()->set_ready(2);
                  },
                  {"status.ready: Invalid value: 2: cannot set more ready pods than active"}});
  EXPECT_EQ(after(running(),
                  [](Job& job) {
                    job.mutable_status()->set_active(2);
                    job.mutable_status()->set_ready(2);
                  }),
            Texts{});
}

TEST(JobStatus, J142_OtherConditionTypesAreAccepted) {
  EXPECT_EQ(after(running(), [](Job& job) { set_condition(job, "CustomConditionType"); }), Texts{});
  Job custom = running();
  set_condition(custom, "CustomConditionType");
  EXPECT_EQ(after(custom, [](Job& job) { job.mutable_status()->clear_conditions(); }), Texts{});
}

TEST(JobStatus, J142a_ConditionsAreNotValidatedOtherwise) {
  EXPECT_EQ(after(running(), [](Job& job) { set_condition(job, "", ""); }), Texts{});
}

TEST(JobStatus, J142a_OrderOfErrors) {
  Job old_job = created(minimal_job());
  old_job.mutable_status()->set_failed(2);
  EXPECT_EQ(after(old_job,
                  [](Job& job) {
                    auto& status = *job.mutable_status();
                    status.set_succeeded(-1);
                    set_condition(job, "Failed");
                    set_condition(job, "SuccessCriteriaMet");
                    status.set_active(1);
                    status.set_terminating(1);
                    status.set_ready(2);
                    status.set_failed(1);
                  }),
            (Texts{
                "status.succeeded: Invalid value: -1: must be greater than or equal to 0",
                "status.startTime: Required value: startTime is required for finished job",
                on_conditions(
                    "cannot set Failed=True condition without the FailureTarget=true condition"),
                "status.active: Invalid value: 1: active>0 is invalid for finished job",
                "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
                "status.ready: Invalid value: 2: cannot set more ready pods than active",
                on_conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions"),
                "status.failed: Invalid value: 1: cannot decrease the failed counter",
                "status.succeeded: Invalid value: -1: cannot decrease the succeeded counter",
            }));
}

// Times that our own clock type cannot hold are still compared.
TEST(JobStatus, TimesOutsideOfTheClockAreNoProblem) {
  const Texts errors = after(running(), [](Job& job) {
    complete(job);
    job.mutable_status()->mutable_completion_time()->set_seconds(-60'000'000'000);
  });
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_TRUE(errors[0].ends_with("must be equal to or after `startTime`")) << errors[0];
}

}  // namespace
}  // namespace windlass::api
