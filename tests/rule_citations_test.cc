// Every rule that code, tests and pages cite exists in docs/spec; and every rule there has a test
// that carries its number, or a row in docs/spec/tests.md that says which other test shows it or
// why none does. Runs in the repository's root.
#include "rule_citations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "source_tree.h"

namespace windlass::house {
namespace {

const Specification& specification() {
  static const Specification read = read_specification("docs/spec");
  return read;
}

// What one file says of rules.
struct Place {
  std::string path;
  bool is_test = false;
  std::set<int> rules;                                       // cited in comments and strings
  std::vector<std::pair<std::string, std::set<int>>> tests;  // Suite.Name and the rules in its name
  std::vector<std::string> unknown;
};

void take(const Citations& citations, const std::string& text, std::set<int>& rules, Place& place) {
  rules.insert(citations.rules.begin(), citations.rules.end());
  for (const auto& unknown : citations.unknown) {
    place.unknown.push_back(unknown + " in: " + text.substr(0, 120));
  }
}

// TEST_F(Suite, Name) in one line or two: both names, or "" twice.
std::pair<std::string, std::string> test_at(const std::vector<std::string>& lines, size_t at) {
  const std::string& line = lines[at];
  const bool macro = line.starts_with("TEST(") || line.starts_with("TEST_F(") ||
                     line.starts_with("TEST_P(") || line.starts_with("RC_GTEST_");
  const size_t open = line.find('(');
  const size_t comma = line.find(',');
  if (!macro || open == std::string::npos || comma == std::string::npos) {
    return {};
  }
  std::string name = line.substr(comma + 1);
  if (name.empty() && at + 1 < lines.size()) {
    name = lines[at + 1];
  }
  name.erase(0, name.find_first_not_of(' '));
  name.resize(std::min(name.size(), name.find_first_of(",) ")));
  return {line.substr(open + 1, comma - open - 1), std::move(name)};
}

void read_source(const std::vector<std::string>& lines, Place& place) {
  const Pages& pages = pages_of(place.path);
  const Texts texts = texts_of(lines);
  for (const auto& comment : texts.comments) {
    take(citations_in(specification(), comment, pages, Bare::all), comment, place.rules, place);
  }
  const Bare in_strings = pages.bare_numbers ? Bare::labels : Bare::none;
  for (const auto& literal : texts.strings) {
    take(citations_in(specification(), literal, pages, in_strings), literal, place.rules, place);
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto [suite, name] = test_at(lines, i);
    if (!name.empty()) {
      std::set<int> rules;
      take(citations_of_test(specification(), name, pages), name, rules, place);
      place.tests.emplace_back(suite + "." + name, std::move(rules));
    }
  }
}

// The last cell of a table's row.
std::string last_cell(const std::string& line) {
  const size_t end = line.find_last_not_of(" |");
  const size_t begin = line.rfind("| ", end);
  return begin == std::string::npos ? "" : line.substr(begin + 2, end - begin - 1);
}

// A page: of differences.md, where any number may stand in the prose, the column `rule` alone.
void read_page(const std::vector<std::string>& lines, Place& place) {
  const Pages& pages = pages_of(place.path);
  for (const auto& line : lines) {
    const std::string text = !pages.bare_numbers     ? line
                             : line.starts_with("|") ? last_cell(line)
                                                     : "";
    take(citations_in(specification(), text, pages, Bare::all), text, place.rules, place);
  }
}

void read_other(const std::vector<std::string>& lines, Place& place) {
  for (const auto& line : lines) {
    take(citations_in(specification(), line, pages_of(place.path), Bare::none), line, place.rules,
         place);
  }
}

const std::vector<Place>& places() {
  static const std::vector<Place> read = [] {
    std::vector<Place> found;
    for (const auto& path : files_below({"src", "tests", "bench", "docs"})) {
      // Examples are no citations; tests.md has a test of its own.
      if (path == "docs/spec/README.md" || path == "docs/spec/tests.md" ||
          path.starts_with("tests/rule_citations") || path.starts_with("tests/fuzz/corpus/") ||
          path.starts_with("tests/golden/")) {
        continue;
      }
      Place place;
      place.path = path;
      place.is_test = path.starts_with("tests/") || path.starts_with("src/verify/") ||
                      path.ends_with("_test.cc") || path.ends_with("testing.h") ||
                      path.ends_with("testing.cc");
      const auto lines = lines_of(path);
      if (path.ends_with(".h") || path.ends_with(".cc")) {
        read_source(lines, place);
      } else if (path.ends_with(".md")) {
        read_page(lines, place);
      } else {
        read_other(lines, place);
      }
      found.push_back(std::move(place));
    }
    return found;
  }();
  return read;
}

const Rule& rule_at(int place) {
  return specification().rules()[static_cast<size_t>(place)];
}

// ---- A small specification, to show what is read and what is refused.

Specification planted() {
  Specification spec;
  spec.add_page("api",
                {R"(- <a id="J1"></a>**J1** one)", R"(- <a id="J2"></a>**J2** two (a) x)",
                 R"(- <a id="J2a"></a>**J2a**)", R"(- <a id="J3"></a>**J3**)",
                 R"(- <a id="C1"></a>**C1**)", R"(### <a id="section-1.2"></a>1.2 Defaults)"});
  spec.add_page("disruption",
                {R"(- <a id="K-1"></a>)", R"(- <a id="K-2"></a>)", R"(- <a id="K-3"></a> (b) y)",
                 R"(| <a id="scenario-7"></a>**7** |)"});
  spec.add_page("job-controller",
                {R"(## <a id="section-2"></a>2. x)", R"(- <a id="2.9"></a>)",
                 R"(- <a id="2.10"></a>)", R"(- <a id="2.10a"></a>)", R"(- <a id="A1"></a>)"});
  spec.add_page("safety", {R"(- <a id="A1"></a>)", R"(- <a id="C1"></a>)", R"(- <a id="W1"></a>)"});
  return spec;
}

std::string read(const std::string& text, std::string_view path = "src/api/job/x.h",
                 Bare bare = Bare::all) {
  const Specification spec = planted();
  const Citations found = citations_in(spec, text, pages_of(path), bare);
  std::string told;
  for (const int rule : found.rules) {
    told += spec.rules()[static_cast<size_t>(rule)].name() + "; ";
  }
  for (const auto& unknown : found.unknown) {
    told += "?" + unknown + "; ";
  }
  return told;
}

TEST(RuleCitations, AreReadWithTheirPage) {
  EXPECT_EQ(read("What it does (job-controller.md 2.9). More."), "job-controller.md 2.9; ");
  EXPECT_EQ(read("api.md J1, J3 and C1: text"), "api.md J1; api.md J3; api.md C1; ");
  EXPECT_EQ(read("api.md J1-J3."), "api.md J1; api.md J2; api.md J2a; api.md J3; ");
  EXPECT_EQ(read("disruption.md K-1 to K-3)"),
            "disruption.md K-1; disruption.md K-2; disruption.md K-3; ");
  EXPECT_EQ(read("job-controller.md 2.9-2.10a"),
            "job-controller.md 2.9; job-controller.md 2.10; job-controller.md 2.10a; ");
  EXPECT_EQ(read("job-controller.md 2, api.md 1.2 and disruption.md scenario 7"),
            "job-controller.md section-2; api.md section-1.2; disruption.md scenario-7; ");
  EXPECT_EQ(read("see [K-2](../spec/disruption.md#K-2)", "docs/x.md", Bare::none),
            "disruption.md K-2; ");
  EXPECT_EQ(read("disruption.md K-3b"), "disruption.md K-3; ");
}

TEST(RuleCitations, AreReadWithoutAPageWhereTheFolderSaysWhichOne) {
  EXPECT_EQ(read("Waits (2.9, C1).", "src/engine/x.h"), "job-controller.md 2.9; safety.md C1; ");
  EXPECT_EQ(read("C1", "src/apiserver/x.h"), "api.md C1; ");
  EXPECT_EQ(read("K-1", "src/apiserver/x.h"), "disruption.md K-1; ");
  // Elsewhere a number may be anything.
  EXPECT_EQ(read("TLS 1.2 and HTTP/1.1, at 2.9", "src/net/x.h"), "");
  EXPECT_EQ(read("With `J77` and ECDSA P-256", "src/net/x.h"), "");
  EXPECT_EQ(read("J1", "tests/x.sh", Bare::none), "");
  EXPECT_EQ(read("C1: J1 is no label", "src/engine/x.cc", Bare::labels), "safety.md C1; ");
}

TEST(RuleCitations, ThatNameNoRuleAreFound) {
  EXPECT_EQ(read("api.md J4"), "?api.md J4; ");
  EXPECT_EQ(read("job-controller.md 2.11"), "?job-controller.md section-2.11; ");
  EXPECT_EQ(read("job-controller.md 7"), "?job-controller.md section-7; ");
  EXPECT_EQ(read("job-controller.md W1"), "?job-controller.md W1; ");
  EXPECT_EQ(read("api.md J2b"), "?api.md J2b; ");
  EXPECT_EQ(read("old.md J1"), "?old.md J1; ");
  EXPECT_EQ(read("api.md J1-J9"), "?api.md J1-J9; ");
  EXPECT_EQ(read("api.md J3-J1"), "?api.md J3-J1; ");
  EXPECT_EQ(read("api.md 1.2-1.9"), "?api.md 1.2-1.9; ");
  EXPECT_EQ(read("disruption.md scenario 8"), "?disruption.md scenario-8; ");
  EXPECT_EQ(read("As J1 and J77 say"), "api.md J1; ?J77; ");
  EXPECT_EQ(read("3.1", "src/engine/x.h"), "?3.1; ");
  EXPECT_EQ(read("[x](../spec/api.md#J9)", "docs/x.md", Bare::none), "?api.md J9; ");
}

TEST(RuleCitations, OfATestAreTheBeginningOfItsName) {
  const Specification spec = planted();
  const auto named = [&](const std::string& name, std::string_view path) {
    const Citations found = citations_of_test(spec, name, pages_of(path));
    std::string told;
    for (const int rule : found.rules) {
      told += spec.rules()[static_cast<size_t>(rule)].name() + "; ";
    }
    for (const auto& unknown : found.unknown) {
      told += "?" + unknown + "; ";
    }
    return told;
  };
  EXPECT_EQ(named("J1_J2a_Name", "src/api/x_test.cc"), "api.md J1; api.md J2a; ");
  EXPECT_EQ(named("Scenario7_K1_Name", "src/scheduler/x_test.cc"),
            "disruption.md scenario-7; disruption.md K-1; ");
  EXPECT_EQ(named("A1_2_9_Name", "src/engine/x_test.cc"),
            "job-controller.md A1; job-controller.md 2.9; ");
  EXPECT_EQ(named("Rule2_10a_W1_Name", "src/engine/x_test.cc"),
            "job-controller.md 2.10a; safety.md W1; ");
  EXPECT_EQ(named("C1_Name", "src/node/x_test.cc"), "safety.md C1; api.md C1; ");
  EXPECT_EQ(named("KEP3850_K3_2_Name", "src/node/x_test.cc"), "disruption.md K-3; ");
  EXPECT_EQ(named("A300Continue", "src/net/x_test.cc"), "");
  EXPECT_EQ(named("K9_Name", "src/node/x_test.cc"), "?K9; ");
  EXPECT_EQ(named("Rule2_77_Name", "src/engine/x_test.cc"), "?job-controller.md 2.77; ");
}

TEST(RuleCitations, StandInCommentsThatRunOverSeveralLines) {
  const Texts texts = texts_of({"// Waits (job-controller.md 2.9,", "// 2.10).", "",
                                "int x = 1;  // J1", "f(\"api.md J2 // no comment\");"});
  ASSERT_EQ(texts.comments.size(), 2u);
  EXPECT_EQ(texts.comments[0], "Waits (job-controller.md 2.9, 2.10).");
  EXPECT_EQ(texts.comments[1], "J1");
  ASSERT_EQ(texts.strings.size(), 1u);
  EXPECT_EQ(texts.strings[0], " api.md J2 // no comment ");
}

TEST(RuleCitations, TwoRulesMayNotHaveOneNumber) {
  Specification spec;
  EXPECT_THROW(spec.add_page("api", {R"(<a id="J1"></a>)", R"(<a id="J1"></a>)"}),
               std::invalid_argument);
}

// ---- This repository.

TEST(RuleCitations, EveryCitedRuleExists) {
  ASSERT_GE(specification().rules().size(), 1000u);
  size_t cited = 0;
  for (const auto& place : places()) {
    cited += place.rules.size();
    for (const auto& unknown : place.unknown) {
      ADD_FAILURE() << place.path << " cites a rule that docs/spec does not have: " << unknown;
    }
  }
  EXPECT_GE(cited, 2000u);
}

TEST(RuleCitations, ARuleSaysWhetherWindlassDiffers) {
  std::set<int> differing;
  for (const auto& place : places()) {
    if (place.path == "docs/reference/differences.md") {
      differing = place.rules;
    }
  }
  ASSERT_GE(differing.size(), 100u);
  for (size_t i = 0; i < specification().rules().size(); ++i) {
    const Rule& rule = rule_at(static_cast<int>(i));
    if (!rule.is_section()) {
      EXPECT_EQ(rule.text.find("[differs]") != std::string::npos,
                differing.contains(static_cast<int>(i)))
          << rule.name() << " has to end with [[differs](../reference/differences.md)] exactly if "
          << "the last column of a table there names it";
    }
  }
}

// Rules by the tests that carry them, in name, comment or text.
std::map<int, std::set<std::string>> tests_by_rule() {
  std::map<int, std::set<std::string>> tests;
  for (const auto& place : places()) {
    for (const auto& [name, rules] : place.tests) {
      for (const int rule : rules) {
        tests[rule].insert(name);
      }
    }
    if (place.is_test) {
      for (const int rule : place.rules) {
        tests[rule].insert(place.path);
      }
    }
  }
  return tests;
}

// One row of docs/spec/tests.md.
struct Row {
  std::string page;
  std::string rules;
  std::string shown_by;
};

std::vector<Row> read_rows(const std::vector<std::string>& lines) {
  std::vector<Row> rows;
  std::string page;
  for (const auto& line : lines) {
    if (line.starts_with("## ")) {
      page = line.substr(3, line.find(".md") - 3);
    } else if (line.starts_with("| ") && !line.starts_with("| rule |")) {
      const size_t middle = line.find(" | ");
      rows.push_back({page, line.substr(2, middle - 2), last_cell(line)});
    }
  }
  return rows;
}

// The names between backticks: tests by the beginning of `Suite.Name`, and scenarios of `./dev
// verify` (`verify drain`).
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (size_t open = text.find('`'); open != std::string::npos;) {
    const size_t close = text.find('`', open + 1);
    names.push_back(text.substr(open + 1, close - open - 1));
    open = close == std::string::npos ? close : text.find('`', close + 1);
  }
  return names;
}

bool is_scenario_of_verify(const std::string& name) {
  static const std::set<std::string> all = [] {
    std::set<std::string> names;
    for (const auto& place : places()) {
      if (place.path.find("simulation/scenarios/") == std::string::npos) {
        continue;
      }
      for (const auto& line : lines_of(place.path)) {
        if (line.starts_with("    {\"")) {
          names.insert("verify " + line.substr(6, line.find('"', 6) - 6));
        }
      }
    }
    return names;
  }();
  return all.contains(name);
}

bool is_test(const std::string& beginning) {
  static const std::set<std::string> all = [] {
    std::set<std::string> names;
    for (const auto& place : places()) {
      for (const auto& test : place.tests) {
        names.insert(test.first);
      }
    }
    return names;
  }();
  const auto at = all.lower_bound(beginning);
  return at != all.end() && at->starts_with(beginning);
}

// Why what a row says of tests is not so; "" when it is.
std::string fault_of(const Row& row, const Pages& pages,
                     const std::map<int, std::set<std::string>>& tests) {
  if (row.shown_by.starts_with("–")) {
    return row.shown_by.size() > std::string_view("– ").size() ? "" : "gives no reason";
  }
  const Citations shown =
      citations_in(specification(), row.page + ".md " + row.shown_by, pages, Bare::all);
  const auto names = names_in(row.shown_by);
  for (const int rule : shown.rules) {
    if (!tests.contains(rule)) {
      return "names " + rule_at(rule).name() + ", which has no test either";
    }
  }
  for (const auto& name : names) {
    if (!is_test(name) && !is_scenario_of_verify(name)) {
      return "names a test that does not exist: " + name;
    }
  }
  if (!shown.unknown.empty()) {
    return "names a rule that does not exist: " + shown.unknown.front();
  }
  return shown.rules.empty() && names.empty() ? "names neither a rule nor a test" : "";
}

Pages pages_of_row(const Row& row) {
  return {{row.page, "safety", "disruption", "api"}, {}, row.page == "job-controller", false};
}

Citations rules_of_row(const Row& row) {
  return citations_in(specification(), row.page + ".md " + row.rules, pages_of_row(row),
                      Bare::none);
}

TEST(RuleCitations, ARuleHasATestOrARowThatSaysWhyNot) {
  const auto tests = tests_by_rule();
  std::set<int> listed;
  for (const auto& row : read_rows(lines_of("docs/spec/tests.md"))) {
    const Pages pages = pages_of_row(row);
    EXPECT_EQ(fault_of(row, pages, tests), "") << "docs/spec/tests.md, row " << row.rules;
    const Citations of = rules_of_row(row);
    EXPECT_TRUE(of.unknown.empty() && !of.rules.empty())
        << "docs/spec/tests.md has a row for a rule that does not exist: " << row.rules;
    if (of.rules.size() == 1) {
      EXPECT_FALSE(tests.contains(of.rules[0]))
          << row.rules << " has a test by now: remove its row from docs/spec/tests.md";
    }
    listed.insert(of.rules.begin(), of.rules.end());
  }
  for (size_t i = 0; i < specification().rules().size(); ++i) {
    const int place = static_cast<int>(i);
    const Rule& rule = rule_at(place);
    EXPECT_TRUE(rule.is_section() || tests.contains(place) || listed.contains(place))
        << rule.name()
        << " has no test. Put its number into the name of the test that shows it, or "
        << "add a row to docs/spec/tests.md that says which test does or why none does.";
  }
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

// A row for every rule: where it is implemented, and the tests that carry it or what tests.md says.
std::map<std::string, std::string> rule_index() {
  std::map<int, std::set<std::string>> sources;
  for (const auto& place : places()) {
    for (const int rule : place.rules) {
      if (!place.is_test && place.path.starts_with("src/")) {
        sources[rule].insert(place.path);
      }
    }
  }
  auto tests = tests_by_rule();
  for (const auto& row : read_rows(lines_of("docs/spec/tests.md"))) {
    for (const int rule : rules_of_row(row).rules) {
      if (tests[rule].empty()) {
        tests[rule].insert(row.shown_by);
      }
    }
  }
  std::map<std::string, std::string> rows;
  for (size_t i = 0; i < specification().rules().size(); ++i) {
    const int place = static_cast<int>(i);
    const std::string name = rule_at(place).name();
    rows[name] =
        "| " + name + " | " + joined(sources[place]) + " | " + joined(tests[place]) + " |\n";
  }
  return rows;
}

// `./dev rules` names the file.
TEST(RuleCitations, AnIndexSaysWhereARuleIsImplementedAndTested) {
  const auto rows = rule_index();
  ASSERT_EQ(rows.size(), specification().rules().size());
  const std::string& row = rows.at("disruption.md T-9");
  EXPECT_NE(row.find("| src/controllers/taint_eviction/"), std::string::npos) << row;
  EXPECT_NE(row.find("| TaintEviction.Scenario33_T9_"), std::string::npos) << row;
  EXPECT_TRUE(rows.at("job-controller.md 0.4").ends_with("| K184 |\n"));
  if (const char* path = std::getenv("WINDLASS_RULE_INDEX")) {
    std::ofstream out(path);
    out << "| rule | implemented in | tests |\n|---|---|---|\n";
    for (size_t i = 0; i < specification().rules().size(); ++i) {
      out << rows.at(rule_at(static_cast<int>(i)).name());
    }
    EXPECT_TRUE(out.flush()) << "cannot write " << path;
  }
}

}  // namespace
}  // namespace windlass::house
