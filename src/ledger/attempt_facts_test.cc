#include "ledger/attempt_facts.h"

#include <gtest/gtest.h>

#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {
namespace {

using api::ledger::v1::Attempt;

Attempt failed_attempt() {
  Attempt attempt;
  attempt.mutable_metadata()->set_namespace_("batch");
  attempt.mutable_metadata()->set_name("6f1c");
  attempt.mutable_job()->set_name("train");
  attempt.mutable_job()->set_uid("j-1");
  attempt.set_index(7);
  attempt.set_node_name("n1");
  attempt.mutable_ended_at()->set_seconds(1000);
  auto* container = attempt.add_containers();
  container->set_name("main");
  container->set_exit_code(42);
  attempt.set_deciding_container("main");
  attempt.mutable_verdict()->set_counted("Failed");
  attempt.mutable_verdict()->set_rule(0);
  attempt.mutable_verdict()->set_rule_name("bad-input");
  return attempt;
}

TEST(AttemptFacts, AnEmptyFilterTakesEverything) {
  EXPECT_TRUE(matches({}, failed_attempt()));
  EXPECT_TRUE(matches({}, Attempt()));
}

TEST(AttemptFacts, EachPartOfAFilterHasToMatch) {
  const Attempt attempt = failed_attempt();
  const AttemptFilter all = {.ns = "batch",
                             .pod_uid = "6f1c",
                             .job = "train",
                             .job_uid = "j-1",
                             .indexes = IndexSet{3, 7},
                             .rule = 0,
                             .rule_name = "bad-input",
                             .exit_code = 42,
                             .node = "n1",
                             .counted = "Failed",
                             .since = time_from_unix(1000),
                             .until = time_from_unix(1001)};
  EXPECT_TRUE(matches(all, attempt));
  const auto differs = [&](auto change) {
    AttemptFilter filter = all;
    change(filter);
    return !matches(filter, attempt);
  };
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.ns = "other"; }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.pod_uid = "6f1"; }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.job = "trai"; }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.job_uid = "j-2"; }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.indexes = IndexSet{6}; }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.rule = 1; }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.rule_name = "x"; }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.exit_code = 1; }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.node = "n2"; }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.counted = "Ignored"; }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.since = time_from_unix(1001); }));
  EXPECT_TRUE(differs([](AttemptFilter& f) { f.until = time_from_unix(1000); }));
}

TEST(AttemptFacts, WithoutAnIndexOrRuleNoIndexOrRuleMatches) {
  EXPECT_FALSE(matches({.indexes = IndexSet{0}}, Attempt()));
  EXPECT_FALSE(matches({.rule = 0}, Attempt()));
  EXPECT_FALSE(matches({.exit_code = 0}, Attempt()));
}

TEST(AttemptFacts, TheExitCodeIsThatOfTheContainerThatDecided) {
  Attempt attempt = failed_attempt();
  auto* sidecar = attempt.add_containers();
  sidecar->set_name("sidecar");
  sidecar->set_exit_code(143);
  EXPECT_EQ(exit_code_of(attempt), 42);
  attempt.clear_deciding_container();
  attempt.mutable_containers(0)->set_exit_code(0);
  EXPECT_EQ(exit_code_of(attempt), 143) << "the first that is not 0";
  attempt.mutable_containers(1)->set_exit_code(0);
  EXPECT_EQ(exit_code_of(attempt), 0);
  attempt.clear_containers();
  EXPECT_EQ(exit_code_of(attempt), std::nullopt);
}

TEST(AttemptFacts, TheReasonIsThatOfDisruptionPodOrContainer) {
  Attempt attempt = failed_attempt();
  EXPECT_EQ(reason_of(attempt), "");
  attempt.mutable_containers(0)->set_reason("OOMKilled");
  EXPECT_EQ(reason_of(attempt), "OOMKilled");
  attempt.clear_deciding_container();
  EXPECT_EQ(reason_of(attempt), "OOMKilled");
  attempt.set_reason("Evicted");
  EXPECT_EQ(reason_of(attempt), "Evicted");
  attempt.mutable_disruption()->set_reason("PreemptionByScheduler");
  EXPECT_EQ(reason_of(attempt), "PreemptionByScheduler");
}

TEST(AttemptFacts, TheRuleIsShownByItsNameOrItsPlace) {
  Attempt attempt = failed_attempt();
  EXPECT_EQ(rule_of(attempt), "bad-input");
  attempt.mutable_verdict()->clear_rule_name();
  EXPECT_EQ(rule_of(attempt), "0");
  attempt.clear_verdict();
  EXPECT_EQ(rule_of(attempt), "");
}

TEST(AttemptFacts, TheTimeIsTheLatestThatIsKnown) {
  Attempt attempt;
  EXPECT_EQ(time_of(attempt), 0);
  attempt.mutable_created_at()->set_seconds(5);
  EXPECT_EQ(time_of(attempt), 5);
  attempt.mutable_scheduled_at()->set_seconds(6);
  attempt.mutable_started_at()->set_seconds(7);
  EXPECT_EQ(time_of(attempt), 7);
  attempt.mutable_ended_at()->set_seconds(INT64_MAX);
  EXPECT_EQ(time_of(attempt), unix_seconds(Time::max()));
}

}  // namespace
}  // namespace windlass::ledger
