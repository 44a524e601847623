// Every rule about Jobs (api.md J1-J154) has a test that carries its number. A rule that another
// part of the program implements is named here with that part.
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

// Rules that no function of this folder can show.
const std::map<std::string, std::string> kElsewhere = {
    {"J89", "the reason that the Job engine writes"},
    {"J110", "resource versions of requests: the API server"},
    {"J150", "propagation of deletes: the API server"},
    {"J152", "field selectors of lists: the API server"},
};

std::set<std::string> all_rules() {
  std::set<std::string> rules;
  const auto add = [&](int first, int last) {
    for (int i = first; i <= last; ++i) {
      rules.insert("J" + std::to_string(i));
    }
  };
  add(1, 22);     // fields of the spec
  add(30, 37);    // fields of the status
  add(40, 50);    // defaults
  add(51, 54);    // create
  add(60, 94);    // validation of a create
  add(100, 110);  // update
  add(120, 142);  // status
  add(150, 159);  // delete, warnings, selectors, discovery, completed indexes, policy
  rules.insert("J60a");
  rules.insert("J142a");
  for (const char part : {'a', 'b', 'c', 'd', 'e', 'f'}) {
    rules.insert(std::string("J88") + part);
  }
  return rules;
}

// The numbers that the names of tests begin with: J61 of TEST(Suite, ...).
std::set<std::string> tested_rules() {
  std::set<std::string> rules;
  const std::regex test_name(R"((?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(\w+,\s*(J\d+[a-f]?)_)");
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(WINDLASS_SOURCE_DIR) / "src/api")) {
    if (!entry.path().string().ends_with("_test.cc")) {
      continue;
    }
    std::ifstream in(entry.path());
    const std::string text(std::istreambuf_iterator<char>(in), {});
    for (std::sregex_iterator match(text.begin(), text.end(), test_name), end; match != end;
         ++match) {
      rules.insert((*match)[1].str());
    }
  }
  return rules;
}

TEST(JobRules, EachHasATestThatNamesIt) {
  const std::set<std::string> tested = tested_rules();
  for (const std::string& rule_number : all_rules()) {
    EXPECT_TRUE(tested.contains(rule_number) || kElsewhere.contains(rule_number)) << rule_number;
  }
}

TEST(JobRules, NoTestNamesARuleThatDoesNotExist) {
  const std::set<std::string> rules = all_rules();
  for (const std::string& rule_number : tested_rules()) {
    EXPECT_TRUE(rules.contains(rule_number)) << rule_number;
  }
}

}  // namespace
