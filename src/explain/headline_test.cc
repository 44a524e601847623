#include "explain/headline.h"

#include <gtest/gtest.h>

namespace windlass::explain {
namespace {

Explanation failed(const std::string& reason) {
  Explanation explanation;
  explanation.state = Explanation::State::failed;
  explanation.reason = reason;
  return explanation;
}

PodAccount pod_of_main(std::optional<int32_t> exit_code, RuleRef rule = {}) {
  PodAccount pod;
  pod.name = "j-x";
  pod.container = "main";
  pod.exit_code = exit_code;
  pod.rule = std::move(rule);
  return pod;
}

TEST(Headline, NamesIndexExitCodeContainerAndRuleOfAFailedJob) {
  Explanation explanation = failed("PodFailurePolicy_Config");
  explanation.decider = pod_of_main(42, {2, "Config", "FailJob"});
  explanation.decider->index = 7;
  EXPECT_EQ(headline(explanation),
            "Failed: index 7 ended with exit code 42 (container main); rule Config says FailJob");
}

TEST(Headline, NamesTheLimitAndTheLastFailureWhereNoRuleDecided) {
  Explanation explanation = failed("BackoffLimitExceeded");
  explanation.decider = pod_of_main(1);
  EXPECT_EQ(headline(explanation),
            "Failed: BackoffLimitExceeded; last, pod j-x ended with exit code 1 (container main)");
}

TEST(Headline, NamesTheConditionThatARuleMatched) {
  Explanation explanation = failed("PodFailurePolicy");
  explanation.decider = pod_of_main(std::nullopt, {0, "", "FailJob"});
  explanation.decider->condition = "DisruptionTarget";
  EXPECT_EQ(headline(explanation),
            "Failed: pod j-x got the condition DisruptionTarget; rule 0 says FailJob");
}

TEST(Headline, NamesTheReasonOfAJobThatNoPodEnded) {
  EXPECT_EQ(headline(failed("DeadlineExceeded")), "Failed: DeadlineExceeded");
}

TEST(Headline, CountsWhatSucceeded) {
  Explanation explanation;
  explanation.state = Explanation::State::complete;
  explanation.counts.succeeded = 3;
  explanation.counts.completions = 3;
  EXPECT_EQ(headline(explanation), "Complete: 3 of 3 succeeded, 0 active");
}

TEST(Headline, SaysWhatAnUnfinishedJobWaitsFor) {
  Explanation explanation;
  explanation.counts.succeeded = 1;
  explanation.counts.active = 1;
  Wait wait;
  wait.text = "running: j-a";
  explanation.waits.push_back(wait);
  wait.kind = Wait::Kind::backoff;
  wait.text = "the next attempt of index 3";
  explanation.waits.push_back(wait);
  EXPECT_EQ(headline(explanation),
            "Not finished: 1 succeeded, 1 active; the next attempt of index 3");
}

}  // namespace
}  // namespace windlass::explain
