#include "cli/output/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json/json_value.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<FileFinding> kFindings = {
    {"a b.yaml", 7, 3, FileFinding::Level::error, "invalid", "spec.x: \"<1>\"", "job.batch/demo",
     "", true},
    {"a b.yaml", 9, 5, FileFinding::Level::warning, "never-matches", "never", "job.batch/demo",
     "why: so", false}};
const std::vector<Examined> kExamined = {{"a b.yaml", "job.batch/demo"},
                                         {"c.yaml", "job.batch/good"}};

TEST(Findings, ALineOfThisProgramIsAFinding) {
  const FileFinding whole = finding_of_line("job.yaml:7:3: error: spec.x: bad: error: worse");
  EXPECT_EQ(whole,
            (FileFinding{
                .file = "job.yaml", .line = 7, .column = 3, .text = "spec.x: bad: error: worse"}));
  EXPECT_EQ(finding_of_line("<stdin>: error: no object in this file"),
            (FileFinding{.file = "<stdin>", .text = "no object in this file"}));
  const FileFinding line = finding_of_line("d:1/a.yaml:4: warning: old");
  EXPECT_EQ(line.file, "d:1/a.yaml");
  EXPECT_EQ(line.line, 4);
  EXPECT_EQ(line.level, FileFinding::Level::warning);
  EXPECT_FALSE(line.fails);
  EXPECT_EQ(finding_of_line("what").text, "what");
}

TEST(Findings, SarifHasAResultPerFindingAndItsRules) {
  const auto tree = api::parse_json_value(
      findings_text(FindingFormat::sarif, "policy lint", kFindings, kExamined));
  ASSERT_TRUE(tree.has_value());
  EXPECT_EQ(tree->value.find("version")->text, "2.1.0");
  const api::JsonValue& run = tree->value.find("runs")->items.at(0);
  const api::JsonValue& driver = *run.find("tool")->find("driver");
  EXPECT_EQ(driver.find("name")->text, "windlass policy lint");
  EXPECT_EQ(driver.find("rules")->items.size(), 2U);
  const auto& results = run.find("results")->items;
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].find("ruleId")->text, "invalid");
  EXPECT_EQ(results[0].find("message")->find("text")->text, "job.batch/demo: spec.x: \"<1>\"");
  EXPECT_EQ(results[1].find("level")->text, "warning");
  EXPECT_EQ(results[1].find("message")->find("text")->text, "job.batch/demo: never\nwhy: so");
  const api::JsonValue& place = *results[0].find("locations")->items.at(0).find("physicalLocation");
  EXPECT_EQ(place.find("artifactLocation")->find("uri")->text, "a%20b.yaml");
  EXPECT_EQ(place.find("region")->find("startLine")->text, "7");
  EXPECT_EQ(place.find("region")->find("startColumn")->text, "3");
}

TEST(Findings, JunitHasACasePerObjectAndOnlyWhatFailsIsAFailure) {
  std::vector<FileFinding> findings = kFindings;
  findings.push_back(finding_of_line("broken.yaml:1:1: error: no mapping"));
  const std::string text = findings_text(FindingFormat::junit, "validate", findings, kExamined);
  EXPECT_THAT(text, HasSubstr("<testsuite name=\"windlass validate\" tests=\"3\" failures=\"2\">"));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"c.yaml\" name=\"job.batch/good\"/>"));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"broken.yaml\" name=\"broken.yaml\">"));
  EXPECT_THAT(text, HasSubstr("message=\"spec.x: &quot;&lt;1&gt;&quot;\""));
  EXPECT_THAT(text, HasSubstr(">a b.yaml:7:3: spec.x"));
  EXPECT_THAT(text, Not(HasSubstr("never")));
}

TEST(Findings, GithubAnnotationsAreOneLineEach) {
  EXPECT_EQ(findings_text(FindingFormat::github, "policy lint", kFindings, kExamined),
            "::error file=a b.yaml,line=7,col=3,title=invalid::spec.x: \"<1>\"\n"
            "::warning file=a b.yaml,line=9,col=5,title=never-matches::never%0Awhy: so\n");
  const std::vector<FileFinding> odd = {{.file = "a,b:c.yaml", .rule = "r", .text = "100%\r\n"}};
  EXPECT_EQ(findings_text(FindingFormat::github, "", odd, {}),
            "::error file=a%2Cb%3Ac.yaml,line=1,col=1,title=r::100%25%0D%0A\n");
}

}  // namespace
}  // namespace windlass::cli
