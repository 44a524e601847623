#include "evidence/attempt_recorder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/memory_ledger.h"

namespace windlass::evidence {
namespace {

using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using controllers::job::AttemptEnd;
using controllers::job::AttemptVerdict;
using engine::Counted;
using ::testing::HasSubstr;

struct AttemptRecorderTest : public ::testing::Test {
  void make(AttemptRecorder::Options options = {}) {
    options.metrics = metrics;
    recorder.emplace(api.client_env(), ledger, std::move(options));
  }

  AttemptEnd end_of(const std::string& uid, const std::string& phase = "Failed",
                    Counted counted = Counted::failed, const std::string& more = "") {
    const auto pod = std::make_shared<Pod>(api::testing::from_yaml<Pod>(
        fmt::format("{{metadata: {{name: {}, namespace: default, uid: {}}}, spec: {{containers: "
                    "[{{name: c{}}}]}}, status: {{phase: {}, startTime: '2026-01-01T10:00:00Z'}}}}",
                    uid, uid, more, phase)));
    return {pod, uid, "j", "job-uid", 0, AttemptVerdict{counted, -1, "", "", "c"}};
  }
  void keep(const AttemptEnd& end) {
    recorder->keep(end, [this, uid = end.uid] { went.push_back(uid); });
  }
  double count(const char* result) {
    return metrics->counter("windlass_ledger_attempts_total", "", {"result"}).value({result});
  }

  SimulatedApi api;
  ledger::MemoryLedger ledger{api.world.executor()};
  std::shared_ptr<MetricRegistry> metrics = std::make_shared<MetricRegistry>();
  std::optional<AttemptRecorder> recorder;
  std::vector<std::string> went;
};

TEST_F(AttemptRecorderTest, F7_APodGoesOnWhenItsRecordIsDurable) {
  make();
  ledger.hold();
  recorder->begin(end_of("a"));
  keep(end_of("a"));
  api.world.run_for(seconds(1));
  EXPECT_TRUE(went.empty());
  ledger.release();
  api.world.run_for(seconds(1));
  EXPECT_THAT(went, ::testing::ElementsAre("a"));
  EXPECT_EQ(ledger.of_pod("a")->verdict().counted(), "Failed");
  // Once it is durable nothing waits.
  keep(end_of("a"));
  EXPECT_EQ(went.size(), 2u);
  EXPECT_EQ(ledger.all().size(), 1u);
  recorder->forget("a");
  EXPECT_EQ(recorder->pods(), 0u);
}

TEST_F(AttemptRecorderTest, F7_WhatCountedOtherwiseInTheEndIsWrittenAgainFirst) {
  make();
  recorder->begin(end_of("a"));
  api.world.run_for(seconds(1));
  ledger.hold();
  keep(end_of("a", "Failed", Counted::none));
  api.world.run_for(seconds(1));
  EXPECT_TRUE(went.empty());
  ledger.release();
  api.world.run_for(seconds(1));
  EXPECT_EQ(went.size(), 1u);
  EXPECT_EQ(ledger.of_pod("a")->verdict().counted(), "None");
}

TEST_F(AttemptRecorderTest, F7_NewsWhileARecordIsWrittenIsWrittenAfterIt) {
  make();
  ledger.hold();
  keep(end_of("a", "Running", Counted::none));
  recorder->begin(end_of("a", "Failed", Counted::failed));
  EXPECT_FALSE(recorder->awaits_end("a"));
  ledger.release();
  api.world.run_for(seconds(1));
  EXPECT_EQ(went.size(), 1u);
  EXPECT_EQ(ledger.of_pod("a")->phase(), "Failed");
}

TEST_F(AttemptRecorderTest, APodThatIsLetGoBeforeItsEndGetsItsEndLater) {
  make();
  keep(end_of("a", "Running", Counted::none));
  api.world.run_for(seconds(1));
  EXPECT_EQ(ledger.of_pod("a")->phase(), "Unknown");
  EXPECT_TRUE(recorder->awaits_end("a"));
  recorder->begin(end_of("a", "Succeeded", Counted::none));
  api.world.run_for(seconds(1));
  EXPECT_EQ(ledger.of_pod("a")->phase(), "Succeeded");
  recorder->forget("a");
  EXPECT_EQ(recorder->pods(), 0u);
}

TEST_F(AttemptRecorderTest, APodThatVanishesIsRecordedAsItWasSeen) {
  make();
  recorder->lost(end_of("a", "Running", Counted::none));
  recorder->forget("a");
  api.world.run_for(seconds(1));
  EXPECT_EQ(ledger.of_pod("a")->phase(), "Unknown");
  EXPECT_EQ(recorder->pods(), 0u);
}

TEST_F(AttemptRecorderTest, AnOrphanKeepsTheVerdictThatItHad) {
  make();
  recorder->begin(end_of("a"));
  api.world.run_for(seconds(1));
  AttemptEnd orphan = end_of("a");
  orphan.verdict.reset();
  keep(orphan);
  api.world.run_for(seconds(1));
  EXPECT_EQ(went.size(), 1u);
  EXPECT_EQ(ledger.of_pod("a")->verdict().counted(), "Failed");
}

TEST_F(AttemptRecorderTest, NumbersTheAttemptsOfAnIndex) {
  make();
  const auto indexed = [&](const std::string& uid, const char* index, int64_t before) {
    AttemptEnd end = end_of(uid);
    auto pod = std::make_shared<Pod>(static_cast<const Pod&>(*end.pod));
    (*pod->mutable_metadata()->mutable_annotations())["batch.kubernetes.io/job-completion-index"] =
        index;
    end.pod = pod;
    end.attempts_before = before;
    recorder->begin(end);
  };
  indexed("a", "0", 0);
  indexed("b", "0", 0);  // of a, nothing is left
  indexed("c", "1", 0);
  indexed("d", "0", 5);
  indexed("e", "0", 2);
  api.world.run_for(seconds(1));
  EXPECT_EQ(ledger.of_pod("a")->number(), 1);
  EXPECT_EQ(ledger.of_pod("b")->number(), 2);
  EXPECT_EQ(ledger.of_pod("c")->number(), 1);
  EXPECT_EQ(ledger.of_pod("d")->number(), 6);
  EXPECT_EQ(ledger.of_pod("e")->number(), 7);
}

// safety.md F8
TEST_F(AttemptRecorderTest, F8_ALedgerThatFailsHoldsPodsUpForItsPatienceOnly) {
  make({.patience = seconds(30)});
  ledger.refuse(plain_error("disk is full"));
  keep(end_of("a"));
  keep(end_of("b"));
  api.world.run_for(seconds(29));
  EXPECT_TRUE(went.empty());
  EXPECT_THAT(recorder->trouble(), HasSubstr("disk is full"));
  api.world.run_for(seconds(2));
  EXPECT_EQ(went.size(), 2u);
  // Others no longer wait; their records do.
  keep(end_of("c"));
  EXPECT_EQ(went.size(), 3u);
  for (const char* uid : {"a", "b", "c"}) {
    recorder->forget(uid);
  }
  EXPECT_EQ(ledger.all().size(), 0u);
  ledger.refuse(std::nullopt);
  api.world.run_for(seconds(10));
  EXPECT_EQ(ledger.all().size(), 3u);
  EXPECT_EQ(recorder->trouble(), "");
  EXPECT_EQ(recorder->pods(), 0u);
  EXPECT_EQ(recorder->left_out(), 0u);
  EXPECT_EQ(count("recorded"), 3);
  // And from now on pods wait again.
  ledger.hold();
  keep(end_of("d"));
  api.world.run_for(seconds(1));
  EXPECT_EQ(went.size(), 3u);
}

TEST_F(AttemptRecorderTest, F8_ALedgerThatRecoversInTimeLetsPodsGoAtOnce) {
  make({.patience = seconds(30)});
  ledger.refuse(plain_error("disk is full"));
  keep(end_of("a"));
  keep(end_of("b"));
  api.world.run_for(seconds(3));
  ledger.refuse(std::nullopt);
  api.world.run_for(seconds(6));
  EXPECT_EQ(went.size(), 2u);
  EXPECT_EQ(ledger.all().size(), 2u);
}

TEST_F(AttemptRecorderTest, F8_WhatDoesNotFitIntoMemoryIsLeftOutAndCounted) {
  make({.patience = seconds(30)});
  ledger.refuse(plain_error("disk is full"));
  keep(end_of("first"));
  api.world.run_for(seconds(31));
  constexpr size_t kMessage = 4'000;
  AttemptEnd end = end_of("first");
  auto pod = std::make_shared<Pod>(static_cast<const Pod&>(*end.pod));
  pod->mutable_status()->set_message(std::string(kMessage, 'x'));
  end.pod = pod;
  const size_t many = 2 * AttemptRecorder::kMaxBacklogBytes / kMessage;
  for (size_t i = 0; i < many; ++i) {
    end.uid = "p" + std::to_string(i);
    keep(end);
    recorder->forget(end.uid);
  }
  EXPECT_EQ(went.size(), many + 1);
  EXPECT_GT(recorder->left_out(), many / 4);
  EXPECT_EQ(recorder->left_out() + recorder->pods(), many + 1);
  EXPECT_EQ(count("left_out"), static_cast<double>(recorder->left_out()));
  EXPECT_THAT(recorder->trouble(), HasSubstr("left out"));
}

TEST_F(AttemptRecorderTest, ReadsTheLogOfTheContainerThatDecided) {
  std::string asked;
  EvidenceCollector::Options evidence;
  evidence.log_bytes = 5;
  evidence.read_log = [&](const api::ObjectPtr&, const std::string& container, size_t bytes,
                          const std::function<void(std::optional<LogTail>)>& done) {
    asked = container + " " + std::to_string(bytes);
    done(LogTail{"12345", true, ""});
  };
  make({.evidence = evidence});
  keep(end_of("a"));
  AttemptEnd success = end_of("b", "Succeeded", Counted::succeeded);
  success.verdict->container.clear();
  keep(success);
  api.world.run_for(seconds(1));
  EXPECT_EQ(asked, "c 5");
  EXPECT_EQ(ledger.of_pod("a")->log().tail(), "12345");
  EXPECT_TRUE(ledger.of_pod("a")->log().truncated());
  EXPECT_FALSE(ledger.of_pod("b")->has_log());
}

TEST_F(AttemptRecorderTest, ALogThatDoesNotComeHoldsNothingUp) {
  EvidenceCollector::Options evidence;
  size_t under_way = 0;
  evidence.read_log = [&](const api::ObjectPtr&, const std::string&, size_t,
                          const std::function<void(std::optional<LogTail>)>&) { ++under_way; };
  make({.evidence = evidence});
  for (int i = 0; i < 40; ++i) {
    keep(end_of("p" + std::to_string(i)));
  }
  EXPECT_EQ(under_way, EvidenceCollector::kMaxAtOnce);
  api.world.run_for(EvidenceCollector::kPatience + seconds(1));
  EXPECT_EQ(went.size(), EvidenceCollector::kMaxAtOnce);
  EXPECT_THAT(ledger.of_pod("p0")->log().error(), HasSubstr("5 seconds"));
  api.world.run_for(2 * EvidenceCollector::kPatience + seconds(1));
  EXPECT_EQ(went.size(), 40u);
}

TEST_F(AttemptRecorderTest, ValuesOfTheSecretsOfThePodAreTakenOut) {
  EvidenceCollector::Options evidence;
  evidence.read_log = [](const api::ObjectPtr&, const std::string&, size_t,
                         const std::function<void(std::optional<LogTail>)>& done) {
    done(LogTail{"hunter2 opens tr0ub4dor, not s3same\n", false, ""});
  };
  make({.evidence = evidence});
  api.world.clock().shift_wall(-hours(24 * 365 * 2));
  for (const char* secret : {"{metadata: {name: env}, data: {p: aHVudGVyMg==}}",
                             "{metadata: {name: all}, data: {p: dHIwdWI0ZG9y}}",
                             "{metadata: {name: file}, data: {p: czNzYW1l}}"}) {
    api.create<api::core::v1::Secret>(api::kinds::secret(), secret);
  }
  const AttemptEnd end =
      end_of("a", "Failed", Counted::failed,
             ", env: [{name: P, valueFrom: {secretKeyRef: {name: env, key: p}}}],"
             " envFrom: [{secretRef: {name: all}}]");
  auto pod = std::make_shared<Pod>(static_cast<const Pod&>(*end.pod));
  pod->mutable_spec()->add_volumes()->mutable_volume_source()->mutable_secret()->set_secret_name(
      "file");
  EXPECT_THAT(secrets_of(*pod), ::testing::ElementsAre("all", "env", "file"));
  keep({pod, "a", "j", "job-uid", 0, end.verdict});
  api.world.run_for(seconds(1));
  EXPECT_EQ(ledger.of_pod("a")->log().tail(), "[redacted] opens [redacted], not [redacted]\n");
}

TEST_F(AttemptRecorderTest, TextIsLeftOutWhenASecretIsGoneOrHasChanged) {
  EvidenceCollector::Options evidence;
  evidence.read_log = [](const api::ObjectPtr&, const std::string&, size_t,
                         const std::function<void(std::optional<LogTail>)>& done) {
    done(LogTail{"hunter2\n", false, ""});
  };
  make({.evidence = evidence});
  const std::string uses = ", envFrom: [{secretRef: {name: env}}]";
  keep(end_of("gone", "Failed", Counted::failed, uses));
  api.world.run_for(seconds(1));
  EXPECT_THAT(ledger.of_pod("gone")->log().error(), HasSubstr("cannot be read"));
  EXPECT_EQ(ledger.of_pod("gone")->log().tail(), "");
  // It is newer than the pod's start.
  api.world.clock().shift_wall(hours(24 * 365 * 5));
  api.create<api::core::v1::Secret>(api::kinds::secret(),
                                    "{metadata: {name: env}, data: {p: bmV3}}");
  keep(end_of("changed", "Failed", Counted::failed, uses));
  api.world.run_for(seconds(1));
  EXPECT_THAT(ledger.of_pod("changed")->log().error(), HasSubstr("before it changed"));
}

}  // namespace
}  // namespace windlass::evidence
