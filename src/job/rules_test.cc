// Every rule of job-controller.md about deciding (sections 0 and 2 to 9, the defects 10.58-10.81)
// and every weakness W1-W11 of reliability.md has a test that carries a number of it, or a reason
// here why another part of the program has it. Every scenario of section 11 has such a test.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

// The tests that show a rule, by the numbers in their names; or `-` and the reason why none does.
const std::map<std::string, std::string> kShownBy = {
    {"0.1", "-the controller's queue: Jobs are synced at once when idle"},
    {"0.2", "R0_2"},
    {"0.3", "M217"},
    {"0.4", "K184"},
    {"0.5", "A15 A16"},
    {"0.6", "A13"},
    {"0.7", "W8"},
    {"0.8", "-one thread owns all Jobs"},
    {"0.9", "-the controller's event recorder"},
    {"0.10", "-the controller's queue"},
    {"0.11", "-a name, used by every test"},
    {"0.12", "F66"},
    {"0.13", "I135"},
    {"0.14", "I135"},
    {"0.15", "-labels of the template: the API"},
    {"0.16", "N226"},
    {"0.17", "-the controller builds the pod's environment"},
    {"0.18", "F84"},
    {"0.19", "K173"},
    {"0.20", "A3"},
    {"0.21", "G94"},
    {"0.22", "A4"},
    {"0.23", "C44"},
    {"0.24", "E56"},
    {"0.25", "G85"},
    {"0.26", "G91"},
    {"0.26a", "N246"},
    {"0.27", "K189"},
    {"0.28", "R0_28"},
    {"0.29", "N225"},
    {"0.30", "I129"},
    {"0.31", "-defaults: the API"},
    {"0.32", "G89"},
    {"0.33", "-labels: the API"},
    {"0.34", "-generation: the API server"},
    {"0.35", "-update rules: the API"},
    {"0.36", "-validation: the API"},
    {"0.37", "-validation: the API"},
    {"0.38", "-validation: the API"},
    {"0.39", "N241"},
    {"0.40", "-propagation of deletes: the API server"},
    {"1.14a", "R1_14a"},
    {"1.18", "R1_18"},
    {"2.1", "-the controller's keys are UIDs"},
    {"2.2", "W8"},
    {"2.3", "-the controller drops the engine"},
    {"2.4", "-informers, not listers"},
    {"2.5", "-the engine takes values and changes none"},
    {"2.6", "N225"},
    {"2.7", "N232"},
    {"2.8", "M222"},
    {"2.9", "F84"},
    {"2.10", "R2_10"},
    {"2.11", "D10_70"},
    {"2.12", "W8"},
    {"2.13", "-claiming: the controller"},
    {"2.14", "O2"},
    {"2.15", "-claiming: the controller"},
    {"2.16", "L197 R2_16"},
    {"2.17", "-claiming: the controller"},
    {"2.18", "-claiming: the controller"},
    {"2.19", "-claiming: the controller"},
    {"2.20", "-claiming: the controller"},
    {"2.21", "A4 G94"},
    {"2.22", "K176"},
    {"2.23", "K176"},
    {"2.24", "K176 H107"},
    {"2.25", "A1"},
    {"2.26", "W2"},
    {"2.27", "J168"},
    {"2.28", "H98 H99"},
    {"2.29", "C45 C46"},
    {"2.30", "H97 R2_30"},
    {"2.31", "C33 C34 R2_31"},
    {"2.32", "D48 D49"},
    {"2.33", "D53"},
    {"2.34", "F68"},
    {"2.35", "I137 I138"},
    {"2.36", "J163 J164"},
    {"2.37", "C38 C39 C40 C41 C42"},
    {"2.38", "J154 J158 J161"},
    {"2.39", "J165 J166 J168 D50 B28"},
    {"2.40", "B24"},
    {"2.41", "C35"},
    {"2.41a", "R2_41a"},
    {"2.42", "D10_59"},
    {"2.43", "C37"},
    {"2.44", "E59"},
    {"2.45", "B21 B23"},
    {"2.45a", "N240"},
    {"2.46", "B25 B26"},
    {"2.47", "A18 R2_47"},
    {"2.48", "E56"},
    {"2.49", "E60 E62"},
    {"2.50", "N249"},
    {"2.51", "E60"},
    {"2.52", "N233"},
    {"2.53", "K171 K172"},
    {"2.54", "K172"},
    {"2.55", "C33"},
    {"2.56", "W1"},
    {"2.57", "K187"},
    {"2.58", "C35"},
    {"2.59", "K187"},
    {"2.60", "C44 B21"},
    {"2.61", "N232"},
    {"2.62", "C44"},
    {"2.62a", "N241"},
    {"2.63", "C45"},
    {"2.64", "C31"},
    {"3.1", "-how upstream's function is cut"},
    {"3.2", "A17"},
    {"3.3", "A2 B22 R3_3"},
    {"3.4", "A12"},
    {"3.5", "A8"},
    {"3.6", "A11"},
    {"3.7", "F71 F72 F73"},
    {"3.8", "N244"},
    {"3.9", "W9"},
    {"3.10", "A16"},
    {"3.11", "A20"},
    {"3.12", "A9"},
    {"3.13", "D10_59"},
    {"3.14", "G87"},
    {"3.15", "M224"},
    {"3.16", "A15"},
    {"3.17", "F69"},
    {"3.18", "G85"},
    {"3.19", "I143 I144"},
    {"3.20", "I145"},
    {"3.21", "W8"},
    {"3.22", "A13"},
    {"3.23", "A6"},
    {"3.24", "N235"},
    {"3.25", "A1"},
    {"3.26", "G90 G91 D10_58"},
    {"3.27", "E60"},
    {"3.28", "N250"},
    {"3.29", "F80"},
    {"3.30", "F81"},
    {"3.31", "F82"},
    {"3.32", "F76"},
    {"3.33", "R3_33"},
    {"3.34", "R3_34"},
    {"4.1", "-the controller builds the pod: its Section4 tests"},
    {"4.2", "-the controller builds the pod"},
    {"4.3", "R4_3"},
    {"4.4", "R4_4"},
    {"4.5", "-names: the API server"},
    {"4.6", "-the controller builds the pod"},
    {"4.7", "-the controller builds the pod: Section4_7"},
    {"4.8", "-the controller builds the pod"},
    {"4.9", "I135"},
    {"4.10", "F66"},
    {"4.11", "-the controller builds the pod: Section4"},
    {"4.12", "-the controller builds the pod: Section4_12"},
    {"4.13", "R4_13"},
    {"4.14", "-the controller builds the pod"},
    {"4.15", "N235"},
    {"4.16", "-out of scope"},
    {"5.1", "-order within one write decides nothing"},
    {"5.2", "K175"},
    {"5.3", "K174"},
    {"5.4", "K177 I130"},
    {"5.5", "K173 K181"},
    {"5.6", "K173 R5_6"},
    {"5.7", "R5_7"},
    {"5.8", "H128"},
    {"5.9", "R5_9"},
    {"5.10", "K184"},
    {"5.11", "K181"},
    {"5.12", "K185"},
    {"5.13", "W1"},
    {"5.14", "K178"},
    {"5.15", "H121 I135"},
    {"5.16", "K189"},
    {"5.17", "K174"},
    {"5.18", "K180"},
    {"5.19", "K190"},
    {"5.20", "K190"},
    {"5.21", "I147 I148 I149"},
    {"5.22", "I130 R5_22"},
    {"5.23", "I131"},
    {"5.24", "I136"},
    {"5.25", "I147"},
    {"5.26", "N247"},
    {"5.27", "K5"},
    {"5.28", "W1"},
    {"6.1", "H118"},
    {"6.2", "H106 H114"},
    {"6.3", "H105"},
    {"6.4", "H95 H96"},
    {"6.5", "H102 H115 H116"},
    {"6.6", "H104"},
    {"6.7", "R6_7"},
    {"6.8", "H112 R6_8"},
    {"6.8a", "-the stale-condition cleaner is another controller"},
    {"6.9", "H107 H109 I133"},
    {"6.10", "H97"},
    {"6.11", "H122"},
    {"6.12", "H117"},
    {"6.13", "W9"},
    {"6.14", "H98"},
    {"6.15", "H121 R6_15"},
    {"6.16", "H118"},
    {"6.17", "G88"},
    {"6.18", "H123 H125"},
    {"6.19", "H123 H124"},
    {"6.20", "H123"},
    {"6.21", "H124"},
    {"6.22", "H126"},
    {"6.23", "H123"},
    {"6.24", "R6_24"},
    {"6.25", "-validation of names: the API"},
    {"6.26", "-dropped fields: the API"},
    {"6.27", "H124"},
    {"6.28", "R6_28"},
    {"7.1", "R7_1"},
    {"7.2", "M217"},
    {"7.3", "R7_3"},
    {"7.4", "D10_65"},
    {"7.5", "W2"},
    {"7.6", "R7_6"},
    {"7.7", "R7_7"},
    {"7.8", "H108"},
    {"7.9", "W2"},
    {"7.10", "W3"},
    {"7.11", "I141"},
    {"7.12", "I142"},
    {"7.13", "I142"},
    {"7.14", "M224"},
    {"7.15", "M218"},
    {"8.1", "J170"},
    {"8.1a", "D10_81"},
    {"8.2", "-out of scope"},
    {"8.3", "K191"},
    {"8.3a", "D10_81"},
    {"8.4", "-gone since Kubernetes 1.24"},
    {"8.5", "-metrics of syncs: the controller"},
    {"8.6", "-metrics of syncs: the controller"},
    {"8.7", "R8_7"},
    {"8.8", "K190"},
    {"8.9", "H121 H128 I135"},
    {"8.10", "N236"},
    {"8.11", "I152"},
    {"8.12", "G90"},
    {"8.13", "-the controller: Rules8_13And8_14"},
    {"8.14", "-the controller: Rules8_13And8_14"},
    {"8.15", "-metrics of the controller's queue"},
    {"8.16", "R8_16"},
    {"8.17", "-metrics of syncs: the controller"},
    {"9.1", "N239"},
    {"9.2", "N239"},
    {"9.3", "N227"},
    {"9.4", "E65"},
    {"9.5", "-gone since Kubernetes 1.27"},
    {"9.6", "H118 I131"},
    {"10.58", "D10_58"},
    {"10.59", "D10_59"},
    {"10.60", "C45"},
    {"10.61", "N235"},
    {"10.62", "D10_62"},
    {"10.63", "-orphans: the controller"},
    {"10.64", "-orphans: the controller"},
    {"10.65", "D10_65"},
    {"10.66", "W9"},
    {"10.67", "I145"},
    {"10.68", "I151"},
    {"10.69", "D10_69"},
    {"10.70", "D10_70"},
    {"10.71", "W4"},
    {"10.72", "K186"},
    {"10.73", "N240"},
    {"10.74", "N241"},
    {"10.75", "N242"},
    {"10.76", "N243"},
    {"10.77", "N244"},
    {"10.78", "N245"},
    {"10.79", "D10_79"},
    {"10.80", "N251"},
    {"10.81", "D10_81"},
    {"W1", "W1"},
    {"W2", "W2"},
    {"W3", "W3"},
    {"W4", "W4"},
    {"W5", "W5"},
    {"W6", "W6"},
    {"W7", "W7"},
    {"W8", "W8"},
    {"W9", "W9"},
    {"W10", "W10"},
    {"W11", "W11"},
};

// The last number of each letter.
const std::map<char, std::pair<int, int>> kScenarios = {
    {'A', {1, 20}},    {'B', {21, 30}},   {'C', {31, 47}},   {'D', {48, 55}},   {'E', {56, 65}},
    {'F', {66, 84}},   {'G', {85, 94}},   {'H', {95, 128}},  {'I', {129, 153}}, {'J', {154, 170}},
    {'K', {171, 192}}, {'L', {193, 209}}, {'M', {210, 224}}, {'N', {225, 252}},
};

// H97, W1, R5_9, D10_79: the numbers that names of tests begin with.
std::set<std::string> numbers_of_tests() {
  std::set<std::string> numbers;
  const std::regex test_name(R"((?:TEST|TEST_F|RC_GTEST_PROP)\(\w+,\s*(\w+))");
  const std::regex number(R"(^([RD]\d+_\d+[a-z]?|[A-Z]\d+[a-z]?|\d+_\d+[a-z]?)_)");
  for (const char* folder : {"src/job", "src/controllers/job"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(WINDLASS_SOURCE_DIR) / folder)) {
      if (!entry.path().string().ends_with("_test.cc")) {
        continue;
      }
      std::ifstream in(entry.path());
      const std::string text(std::istreambuf_iterator<char>(in), {});
      for (std::sregex_iterator test(text.begin(), text.end(), test_name), end; test != end;
           ++test) {
        std::string name = (*test)[1].str();
        for (std::smatch match; std::regex_search(name, match, number); name = match.suffix()) {
          numbers.insert(match[1].str());
        }
      }
    }
  }
  return numbers;
}

TEST(EngineRules, EachIsShownByATestThatExists) {
  const std::set<std::string> tests = numbers_of_tests();
  for (const auto& [rule, shown] : kShownBy) {
    if (shown.starts_with('-')) {
      continue;
    }
    const std::regex space(" ");
    for (std::sregex_token_iterator each(shown.begin(), shown.end(), space, -1), end; each != end;
         ++each) {
      EXPECT_TRUE(tests.contains(*each)) << "rule " << rule << " needs a test " << *each;
    }
  }
}

TEST(EngineRules, EachScenarioHasATestThatNamesIt) {
  const std::set<std::string> tests = numbers_of_tests();
  int all = 0;
  for (const auto& [letter, range] : kScenarios) {
    for (int i = range.first; i <= range.second; ++i) {
      const std::string scenario = letter + std::to_string(i);
      EXPECT_TRUE(tests.contains(scenario)) << scenario;
      ++all;
    }
  }
  // The figures of docs/reference/engine-tests.md.
  EXPECT_EQ(all, 252);
  EXPECT_EQ(kShownBy.size(), 292u);
}

}  // namespace
