// A bounded exploration of every configuration, and that the explorer itself is sound: steps have a
// text, keys tell states apart, and the checks bite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/sanitized_testing.h"
#include "engine/status/conditions.h"
#include "verify/explorer/canonical.h"
#include "verify/explorer/checks.h"
#include "verify/explorer/key_set.h"
#include "verify/explorer/search.h"

namespace windlass::verify::explorer {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Enough to reach depth 8 to 10; `./dev explore` goes further.
constexpr size_t kStates = kSanitized ? 1'000 : 8'000;

ModelState world_after(const char* config, const std::vector<std::string>& steps) {
  ModelState model(*find_configuration(config));
  std::vector<std::string> broken;
  for (const std::string& text : steps) {
    take(model, *parse_step(text), broken);
  }
  EXPECT_THAT(broken, IsEmpty());
  return model;
}

class EveryConfiguration : public ::testing::TestWithParam<size_t> {};

TEST_P(EveryConfiguration, KeepsTheInvariantsAndSettlesFromEveryState) {
  const ExplorerConfig& config = configurations()[GetParam()];
  SearchLimits limits;
  limits.max_states = kStates;
  const Findings found = explore(config, limits);
  EXPECT_THAT(found.broken, IsEmpty()) << test_case(config, found);
  EXPECT_TRUE(found.complete || found.states >= kStates);
  EXPECT_GE(found.transitions + 1, found.states);
}

INSTANTIATE_TEST_SUITE_P(Explorer, EveryConfiguration,
                         ::testing::Range<size_t>(0, configurations().size()),
                         [](const auto& parameter) {
                           std::string name = configurations()[parameter.param].name;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Configurations, HaveNamesOfTheirOwnAndSayWhatTheyAreAbout) {
  std::set<std::string> names;
  for (const ExplorerConfig& config : configurations()) {
    EXPECT_TRUE(names.insert(config.name).second) << config.name;
    EXPECT_FALSE(config.about.empty());
    EXPECT_EQ(find_configuration(config.name), &config);
  }
  EXPECT_EQ(find_configuration("no-such-thing"), nullptr);
}

TEST(Steps, HaveATextThatIsReadBack) {
  for (uint8_t kind = 0; kind <= static_cast<uint8_t>(StepKind::tick); ++kind) {
    Step step{static_cast<StepKind>(kind), 0, 0};
    EXPECT_EQ(parse_step(step_text(step)), step);
    EXPECT_EQ(Step::unpack(step.packed()), step);
  }
  EXPECT_EQ(parse_step("fail 3 1"), (Step{StepKind::fail, 3, 1}));
  for (const char* wrong : {"", "fly", "fail", "fail 3", "fail x 1", "decide 1", "tell 1 2"}) {
    EXPECT_EQ(parse_step(wrong), std::nullopt) << wrong;
  }
}

TEST(Replay, TakesOnlyStepsThatArePossible) {
  const ExplorerConfig& config = *find_configuration("plain");
  EXPECT_THAT(replay(config, {"decide", "answer 0"}), IsEmpty());
  EXPECT_THAT(replay(config, {"answer 0"}), Contains(HasSubstr("cannot take the step")));
  EXPECT_THAT(replay(config, {"fly"}), Contains(HasSubstr("cannot take the step")));
}

TEST(Replay, AFailureIsPrintedAsATest) {
  Findings found;
  found.broken = {"C1: a pod is listed twice"};
  found.trace = {{StepKind::decide, 0, 0}, {StepKind::answer, 0, 0}, {StepKind::fail, 1, 0}};
  const std::string text = test_case(*find_configuration("plain"), found);
  EXPECT_THAT(text, HasSubstr("// C1: a pod is listed twice"));
  EXPECT_THAT(text, HasSubstr("\"fail 1 0\",  // pod 1 exits 1"));
}

TEST(Keys, AreEqualForPodsThatChangePlaces) {
  const std::vector<std::string> both = {"decide", "answer 0", "decide", "answer 1", "answer 0"};
  auto first = both;
  first.insert(first.end(), {"fail 1 0"});
  auto second = both;
  second.insert(second.end(), {"fail 2 0"});
  EXPECT_EQ(key_of(world_after("plain", first)).full, key_of(world_after("plain", second)).full);
  EXPECT_NE(key_of(world_after("plain", first)).full, key_of(world_after("plain", both)).full);
  // Pods of different indexes cannot.
  EXPECT_NE(key_of(world_after("indexed", first)).full,
            key_of(world_after("indexed", second)).full);
}

TEST(Keys, TellWhatIsLeftOfTheBudgetFromWhatIsSo) {
  ModelState model(*find_configuration("plain"));
  const StateKey before = key_of(model);
  --model.budget.faults;
  EXPECT_EQ(key_of(model).core, before.core);
  EXPECT_NE(key_of(model).full, before.full);
}

TEST(Keys, SetRemembersWhatItWasGiven) {
  KeySet set;
  for (uint64_t key = 0; key < 5'000; ++key) {
    EXPECT_TRUE(set.insert(key * 1024));
    EXPECT_FALSE(set.insert(key * 1024));
  }
  EXPECT_EQ(set.size(), 5'000u);
  EXPECT_FALSE(set.contains(7));
}

TEST(Search, FindsTheSameWithLittleMemory) {
  SearchLimits roomy;
  roomy.max_states = 2'000;
  SearchLimits tight = roomy;
  tight.max_kept = 1;
  const ExplorerConfig& config = *find_configuration("fail-index");
  const Findings a = explore(config, roomy);
  const Findings b = explore(config, tight);
  EXPECT_EQ(a.states, b.states);
  EXPECT_EQ(a.transitions, b.transitions);
  EXPECT_EQ(a.depth, b.depth);
}

TEST(Search, StopsWhenTold) {
  SearchLimits limits;
  int asked = 0;
  limits.stop = [&asked] { return ++asked == 3; };
  const Findings found = explore(*find_configuration("plain"), limits);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(asked, 3);
}

// The checks judge decisions, whatever made them.

TEST(Checks, B1_ACreationBeforeTheBackoffIsOver) {
  ModelState model = world_after("plain", {"decide", "answer 0", "fail 1 0", "tell 1"});
  engine::Decision decision;
  decision.creates.push_back({1, engine::plan_pod("work")});
  EXPECT_THAT(check_decision(model, decision), Contains(HasSubstr("B1")));
  model.now += seconds(10);
  EXPECT_THAT(check_decision(model, decision), Not(Contains(HasSubstr("B1"))));
}

TEST(Checks, B3_AWrongFailureCount) {
  ModelState model = world_after("per-index", {"decide", "answer 0", "fail 1 0", "tell 1"});
  model.now += seconds(10);
  engine::Decision decision;
  engine::PodPlan plan = engine::plan_indexed_pod("work", 0);
  engine::annotate_failures(plan, {0, 0});
  decision.creates.push_back({1, plan});
  EXPECT_THAT(check_decision(model, decision), Contains(HasSubstr("B3")));
}

TEST(Checks, C1_APodThatIsListedTwiceOrNotCounted) {
  ModelState model = world_after("plain", {"decide", "answer 0", "fail 1 0", "tell 1", "decide"});
  engine::JobStatus next = model.job->status;
  next.uncounted = engine::UncountedPods{{pod_uid(1)}, {}};
  EXPECT_THAT(check_stored_status(model, next), Contains(HasSubstr("C1")));
  next.uncounted = engine::UncountedPods{{}, {pod_uid(1)}};
  EXPECT_THAT(check_stored_status(model, next), IsEmpty());
  next.failed = 1;
  EXPECT_THAT(check_stored_status(model, next), Contains(HasSubstr("C1")));
}

TEST(Checks, T7_TheStrongestGroundIsNamed) {
  ModelState model = world_after("fail-job", {"decide", "answer 0", "fail 1 1", "tell 1"});
  engine::JobStatus next = model.job->status;
  engine::set_condition(next, engine::kTypeFailureTarget, engine::ConditionStatus::is_true,
                        engine::kReasonBackoffLimit, "", model.now);
  EXPECT_THAT(check_drafted_status(model, next), Contains(HasSubstr("T7")));
  EXPECT_THAT(check_drafted_status(model, model.job->status), Contains(HasSubstr("P6")));
}

TEST(Checks, L1_AJobThatDoesNotEnd) {
  const ModelState model = world_after("plain", {"decide", "answer 0"});
  EXPECT_THAT(check_rest(model), Contains(HasSubstr("L1")));
  EXPECT_THAT(check_rest(model), Contains(HasSubstr("L2")));
}

}  // namespace
}  // namespace windlass::verify::explorer
