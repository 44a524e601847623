// Every row of the table of scenarios in disruption.md 12 has a test that names it
// (Scenario42_..., in src/node S42_...), or a line here that says which test shows it, by the
// beginning of its name, or why none does. Runs in the repository's root.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

constexpr int kRows = 123;

// `Suite.Name`, of which the name may be cut; `simulate NAME`, a scenario of the simulation; or `-`
// and the reason why there is none.
const std::map<int, std::string> kShownBy = {
    {4, "SchedulerTest.S5_ANewNodeWakesWaitingPods"},
    {6, "Filters.Row6_PodsAndResourcesAreReportedTogether"},
    {9, "PlacerTest.S15_TheEmptierNodeWins"},
    {19, "PreemptionTest.P12_2_"},
    {20, "PreemptionTest.P12_3_"},
    {21, "PreemptionTest.P12_3_"},
    {22, "PreemptionTest.P12_5_"},
    {25, "simulate stale-mark"},
    {46, "simulate node-silent"},
    {48, "AdmissionTest.P21_Tolerations"},
    {56, "PodGc.Scenario55_"},
    {64, "Evict.E6_E10_"},
    {65, "Evict.E9d_"},
    {66, "Evict.E9e_"},
    {67, "Evict.E9a_"},
    {68, "Evict.E3_"},
    {69, "Evict.E3_"},
    {70, "Evict.E8_AlwaysAllow"},
    {71, "Evict.E8_P93_"},
    {72, "Evict.E8_P93_"},
    {73, "Evict.E5_"},
    {74, "Evict.E2_"},
    {75, "Evict.E10_"},
    {76, "Evict.E10_"},
    {77, "-checked where the request is read: src/apiserver/rest"},
    {78, "Evict.E6_E10_"},
    {79, "Evict.E7_"},
    {91, "AdmissionTest.K2_"},
    {93, "AdmissionTest.K8_"},
    {97, "ImagePodTest.R15_"},
    {98, "Hollow.K11_"},
    {100, "Hollow.K50_"},
    {101, "Container.M21_MemoryLimitsEndTheWholeContainer"},
    {109, "PodSetupTest.K62_R7_"},
    {110, "StorageLimits.K62_"},
    {116, "AdmissionTest.S115_K81_"},
    {117, "StatusMessage.K39_ForeignConditions"},
    {122, "simulate drain"},
    {123, "simulate drain-counted"},
};

struct Found {
  std::set<std::string> tests;  // Suite.Name
  std::set<int> rows;           // named by a test
  std::set<std::string> scenarios;
};

// Elsewhere S and a number are a rule of scheduling.
void read_tests(const std::string& text, bool of_node, Found& found) {
  static const std::regex test(R"(TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  static const std::regex scenario(R"(Scenario(\d+)(?:And(\d+))?_)");
  static const std::regex of_nodes(R"((?:^|_)(?:Scenario|S)(\d+)(?:And(\d+))?_)");
  const std::regex& number = of_node ? of_nodes : scenario;
  for (std::sregex_iterator each(text.begin(), text.end(), test), end; each != end; ++each) {
    const std::string name = (*each)[2].str();
    found.tests.insert((*each)[1].str() + "." + name);
    for (std::sregex_iterator row(name.begin(), name.end(), number); row != end; ++row) {
      found.rows.insert(std::stoi((*row)[1]));
      if ((*row)[2].matched) {
        found.rows.insert(std::stoi((*row)[2]));
      }
    }
  }
}

void read_scenarios(const std::string& text, Found& found) {
  static const std::regex scenario(R"re(\n    \{"([a-z-]+)",)re");
  for (std::sregex_iterator each(text.begin(), text.end(), scenario), end; each != end; ++each) {
    found.scenarios.insert((*each)[1]);
  }
}

Found look() {
  Found found;
  for (const auto& entry : fs::recursive_directory_iterator("src")) {
    const std::string path = entry.path().string();
    const bool scenarios = path.starts_with("src/simulation/scenarios_");
    if (!path.ends_with("_test.cc") && !scenarios) {
      continue;
    }
    std::ifstream in(entry.path());
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (scenarios) {
      read_scenarios(text, found);
    } else {
      read_tests(text, path.starts_with("src/node/"), found);
    }
  }
  return found;
}

bool exists(const std::string& shown, const Found& found) {
  constexpr std::string_view kSimulate = "simulate ";
  if (shown.starts_with(kSimulate)) {
    return found.scenarios.contains(shown.substr(kSimulate.size()));
  }
  const auto at = found.tests.lower_bound(shown);
  return at != found.tests.end() && at->starts_with(shown);
}

TEST(DisruptionScenarios, EachRowIsShownByATestThatExists) {
  const Found found = look();
  int tested = 0;
  for (int row = 1; row <= kRows; ++row) {
    const auto listed = kShownBy.find(row);
    if (found.rows.contains(row)) {
      EXPECT_EQ(listed, kShownBy.end()) << "row " << row << " has a test of its own by now";
      ++tested;
      continue;
    }
    ASSERT_NE(listed, kShownBy.end()) << "row " << row << " has no test";
    if (!listed->second.starts_with('-')) {
      EXPECT_TRUE(exists(listed->second, found)) << "row " << row << ": " << listed->second;
      ++tested;
    }
  }
  GTEST_LOG_(INFO) << tested << " of " << kRows << " rows are shown by a test";
}

}  // namespace
