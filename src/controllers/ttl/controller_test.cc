#include "controllers/ttl/controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/wire_time.h"
#include "apiserver/testing.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::ttl {
namespace {

using apiserver::testing::Job;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Ttl : ::testing::Test {
  Ttl() : client(api.client, api.world.executor()) { start(); }

  void start() {
    const client::ClientEnv env = api.client_env();
    TtlController::Options options;
    options.on_deleted = [this](Duration late) { deleted_late.push_back(late); };
    controller.reset();
    controller = std::make_unique<TtlController>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log}, options);
    controller->start();
    settle();
  }
  void settle(Duration duration = milliseconds(10)) { api.world.run_for(duration); }

  void create(const std::string& ttl) {
    api.create_job(
        fmt::format("{{metadata: {{name: j}}, spec: {{{} template: {{spec: {{restartPolicy: Never, "
                    "containers: [{{name: c, image: i}}]}}}}}}}}",
                    ttl));
  }
  // As the Job controller would, at this time.
  void end(const std::string& type, Duration from_now = Duration::zero()) {
    const Time now = api.world.clock().now();
    api.change<Job>(api::kinds::job(), "default", "j", "status", [&](Job& job) {
      auto& status = *job.mutable_status();
      api::set_time(*status.mutable_start_time(), now);
      const bool complete = type == "Complete";
      if (complete) {
        api::set_time(*status.mutable_completion_time(), now + from_now);
        status.set_succeeded(1);
      }
      for (const std::string& each :
           {std::string(complete ? "SuccessCriteriaMet" : "FailureTarget"), type}) {
        auto& condition = *status.add_conditions();
        condition.set_type(each);
        condition.set_status("True");
        condition.set_reason("Because");
        api::set_time(*condition.mutable_last_transition_time(), now + from_now);
      }
    });
    settle();
  }
  void set_ttl(std::optional<int> ttl) {
    api.change<Job>(api::kinds::job(), "default", "j", "", [&](Job& job) {
      job.mutable_spec()->clear_ttl_seconds_after_finished();
      if (ttl) {
        job.mutable_spec()->set_ttl_seconds_after_finished(*ttl);
      }
    });
    settle();
  }
  bool deleted() {
    const auto job = api.job("j");
    return !job || job->metadata().has_deletion_timestamp();
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client;
  std::vector<Duration> deleted_late;
  std::unique_ptr<TtlController> controller;
};

TEST_F(Ttl, ACompleteJobGoesWhenItsTimeHasPassed) {
  create("ttlSecondsAfterFinished: 60,");
  end("Complete");
  settle(seconds(58));
  EXPECT_FALSE(deleted());
  EXPECT_THAT(client.calls, IsEmpty());
  settle(seconds(3));
  EXPECT_TRUE(deleted());
  ASSERT_EQ(deleted_late.size(), 1u);
  EXPECT_LT(deleted_late[0], seconds(1));
}

TEST_F(Ttl, ItsPodsGoFirst) {
  create("ttlSecondsAfterFinished: 0,");
  end("Failed");
  ASSERT_TRUE(api.job("j"));
  EXPECT_THAT(api.job("j")->metadata().finalizers(), ElementsAre("foregroundDeletion"));
  EXPECT_THAT(client.calls,
              ElementsAre("get jobs default/j",
                          ::testing::AllOf(HasSubstr("delete jobs default/j uid="),
                                           HasSubstr(" rv="), HasSubstr("policy=Foreground"))));
  settle(hours(2));
  EXPECT_EQ(client.count("delete"), 1u);  // not again while it waits for its pods
}

TEST_F(Ttl, WithoutATtlItStays) {
  create("");
  end("Complete");
  settle(hours(24 * 30));
  EXPECT_FALSE(deleted());
}

TEST_F(Ttl, AnUnfinishedJobStays) {
  create("ttlSecondsAfterFinished: 1,");
  settle(hours(24));
  EXPECT_FALSE(deleted());
  EXPECT_THAT(client.calls, IsEmpty());
}

TEST_F(Ttl, D2_NeverEarlierThanTheEndAndTheTtl) {
  create("ttlSecondsAfterFinished: 100,");
  end("Complete");
  const Time ended = api::time_of(api.job("j")->status().completion_time());
  ASSERT_TRUE(api.world.run_until([this] { return deleted(); }, hours(1)));
  EXPECT_GE(api.world.clock().now() - ended, seconds(100));
  EXPECT_LT(api.world.clock().now() - ended, seconds(101));
}

TEST_F(Ttl, ATtlCanBeSetShortenedAndLengthenedAfterwards) {
  create("");
  end("Complete");
  set_ttl(3600);
  settle(seconds(10));
  set_ttl(20);
  settle(seconds(5));
  EXPECT_FALSE(deleted());
  set_ttl(7200);
  settle(hours(1));
  EXPECT_FALSE(deleted());
  settle(hours(1) + seconds(1));
  EXPECT_TRUE(deleted());
}

TEST_F(Ttl, ATtlThatIsTakenAwayInTheLastMomentIsRespected) {
  create("ttlSecondsAfterFinished: 60,");
  end("Complete");
  bool edited = false;
  client.before = [&](const std::string& line) {
    if (line.starts_with("delete") && !std::exchange(edited, true)) {
      api.change<Job>(api::kinds::job(), "default", "j", "",
                      [](Job& job) { job.mutable_spec()->clear_ttl_seconds_after_finished(); });
    }
  };
  settle(hours(3));
  EXPECT_TRUE(edited);
  EXPECT_FALSE(deleted());
  EXPECT_EQ(client.count("delete"), 1u);
}

TEST_F(Ttl, WhatTheCacheSaysIsCheckedWithTheServer) {
  create("ttlSecondsAfterFinished: 60,");
  end("Complete");
  client.before = [&, edited = false](const std::string& line) mutable {
    if (line.starts_with("get") && !std::exchange(edited, true)) {
      api.change<Job>(api::kinds::job(), "default", "j", "",
                      [](Job& job) { job.mutable_spec()->set_ttl_seconds_after_finished(600); });
    }
  };
  settle(seconds(500));
  EXPECT_FALSE(deleted());
  EXPECT_EQ(client.count("delete"), 0u);
  settle(seconds(101));
  EXPECT_TRUE(deleted());
}

TEST_F(Ttl, AJobOfTheSameNameIsNotMeant) {
  create("ttlSecondsAfterFinished: 60,");
  end("Complete");
  client.before = [&, done = false](const std::string& line) mutable {
    if (line.starts_with("get") && !std::exchange(done, true)) {
      client::DeleteOptions options;
      options.propagation_policy = "Background";
      ASSERT_TRUE(api.remove(api::kinds::job(), "default", "j", options).answer.has_value());
      create("ttlSecondsAfterFinished: 60,");
    }
  };
  settle(hours(1));
  EXPECT_FALSE(deleted());
  EXPECT_EQ(client.count("delete"), 0u);
}

TEST_F(Ttl, AnEndInTheFutureIsWaitedFor) {
  create("ttlSecondsAfterFinished: 60,");
  end("Complete", minutes(10));
  settle(minutes(10));
  EXPECT_FALSE(deleted());
  EXPECT_TRUE(api.world.log().contains("ended in the future"));
  settle(seconds(61));
  EXPECT_TRUE(deleted());
}

TEST_F(Ttl, AWallClockThatJumpsIsNoticedWithinTheHour) {
  create("ttlSecondsAfterFinished: 86400,");
  end("Complete");
  settle(minutes(1));
  api.world.clock().shift_wall(hours(24));
  settle(TtlController::kMaxWait);
  EXPECT_TRUE(deleted());
}

TEST_F(Ttl, AWallClockThatGoesBackDelaysIt) {
  create("ttlSecondsAfterFinished: 60,");
  end("Complete");
  api.world.clock().shift_wall(-hours(1));
  settle(minutes(30));
  EXPECT_FALSE(deleted());
  settle(minutes(32));
  EXPECT_TRUE(deleted());
}

TEST_F(Ttl, FailuresAreRetried) {
  create("ttlSecondsAfterFinished: 1,");
  int failures = 4;
  client.refuse = [&](const std::string&) -> std::optional<Status> {
    return failures-- > 0 ? std::optional(internal_error("no")) : std::nullopt;
  };
  end("Complete");
  settle(minutes(1));
  EXPECT_TRUE(deleted());
  EXPECT_TRUE(api.world.log().contains("deleting a finished Job failed"));
}

TEST_F(Ttl, WhatEndedWhileItWasAwayGoesAtOnce) {
  controller.reset();
  create("ttlSecondsAfterFinished: 60,");
  end("Complete");
  settle(minutes(5));
  EXPECT_FALSE(deleted());
  start();
  EXPECT_TRUE(deleted());
  ASSERT_EQ(deleted_late.size(), 1u);
  EXPECT_GE(deleted_late[0], minutes(4) - seconds(1));
}

// The end is stored in whole seconds: it may have been at the last instant of that one.
TEST(JobEndTest, NoTtlIsShorterThanAskedFor) {
  for (const int32_t ttl : {0, 1, 60}) {
    Job job;
    job.mutable_spec()->set_ttl_seconds_after_finished(ttl);
    auto& condition = *job.mutable_status()->add_conditions();
    condition.set_type("Complete");
    condition.set_status("True");
    const Time ended = time_from_unix(1'800'000'000, 930'000'000);
    api::set_time(*condition.mutable_last_transition_time(), ended);
    const JobEnd end = read_end(job);
    ASSERT_TRUE(end.expires);
    if (ttl == 0) {
      EXPECT_EQ(*end.expires, *end.finished);
    } else {
      EXPECT_GE(*end.expires, ended + seconds(ttl));
      EXPECT_LT(*end.expires, ended + seconds(ttl + 1));
    }
  }
}

TEST(JobEndTest, TheLongestTtlDoesNotOverflow) {
  Job job;
  job.mutable_spec()->set_ttl_seconds_after_finished(2147483647);
  auto& condition = *job.mutable_status()->add_conditions();
  condition.set_type("Complete");
  condition.set_status("True");
  api::set_time(*condition.mutable_last_transition_time(), Time::max());
  const JobEnd end = read_end(job);
  ASSERT_TRUE(end.expires);
  EXPECT_GE(*end.expires, *end.finished);
}

}  // namespace
}  // namespace windlass::controllers::ttl
