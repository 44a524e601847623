#include "web/job_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "api/codec/json/json.h"
#include "api/codec/yaml/yaml.h"
#include "api/kind.h"
#include "verify/ledgers/attempt_maker.h"
#include "web/report.h"

namespace windlass::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class JobPageTest : public ::testing::Test {
 protected:
  // Four indexes, two of which have ended.
  static api::ObjectPtr job(const std::string& status) {
    return object(
        api::kinds::job(),
        "{metadata: {name: sweep, namespace: default, uid: u1}, "
        "spec: {completions: 4, parallelism: 4, completionMode: Indexed, backoffLimitPerIndex: 1, "
        "podFailurePolicy: {rules: [{action: FailIndex, name: Input, onExitCodes: {operator: In, "
        "values: [42, 43], containerName: main}}, {action: Ignore, onPodConditions: "
        "[{type: DisruptionTarget, status: 'True'}]}]}, template: {spec: {restartPolicy: Never, "
        "containers: [{name: main, image: i}]}}}, status: " +
            status + "}");
  }
  static api::ObjectPtr pod(const std::string& name, int index, const std::string& rest) {
    return object(
        api::kinds::pod(),
        "{metadata: {name: " + name + ", namespace: default, uid: uid-of-" + name +
            ", annotations: {batch.kubernetes.io/job-completion-index: '" + std::to_string(index) +
            "'}}, spec: {nodeName: node-1, containers: [{name: main, image: i}]}, status: " + rest +
            "}");
  }
  static api::ObjectPtr object(const api::Kind& kind, const std::string& yaml) {
    const auto documents = api::parse_yaml(yaml);
    EXPECT_TRUE(documents) << (documents ? "" : documents.error().message);
    std::unique_ptr<api::Message> message = kind.make();
    EXPECT_TRUE(api::decode_json(documents->front().json, *message));
    return message;
  }

  simdjson::dom::element page() {
    text_ = job_page_json(input_);
    return parser_.parse(text_);
  }

  JobPageInput input_;
  std::string text_;
  simdjson::dom::parser parser_;
};

TEST_F(JobPageTest, HasALetterForEveryIndex) {
  input_.evidence.job = job("{succeeded: 1, failed: 1, completedIndexes: '0', failedIndexes: '1'}");
  input_.evidence.pods = {pod("a", 2, "{phase: Running}")};
  const auto document = page();
  EXPECT_EQ(std::string_view(document["cells"]), "sfrn");
  EXPECT_EQ(int64_t(document["counts"]["running"]), 1);
  EXPECT_EQ(int64_t(document["counts"]["failed"]), 1);
  EXPECT_EQ(int64_t(document["counts"]["notStarted"]), 1);
}

TEST_F(JobPageTest, AnIndexWhoseLastAttemptFailedIsInBackOffUntilTheJobEnds) {
  const auto attempt = ledger::AttemptMaker().index(3).exit(1).make();
  input_.attempts = {attempt};
  input_.evidence.job = job("{failed: 1}");
  EXPECT_EQ(std::string_view(page()["cells"]), "nnnb");
  input_.evidence.job =
      job("{failed: 1, conditions: [{type: Failed, status: 'True', reason: DeadlineExceeded, "
          "message: m}]}");
  EXPECT_EQ(std::string_view(page()["cells"]), "nnnf");
}

TEST_F(JobPageTest, ARuleTellsWhatItHasDone) {
  input_.evidence.job = job("{failed: 2}");
  const auto failure = [](int index, int number) {
    return ledger::AttemptMaker().index(index).number(number).exit(42).rule(0, "Input",
                                                                            "FailIndex");
  };
  input_.attempts = {failure(1, 1).pod("a").make(), failure(3, 1).pod("b").make()};
  const auto document = page();
  EXPECT_EQ(std::string_view(document["rules"].at(0)["effect"]), "failed 2 indexes");
  EXPECT_EQ(std::string_view(document["rules"].at(1)["effect"]), "");
}

TEST_F(JobPageTest, WithoutAServerThatStaysThereIsNoRerun) {
  input_.evidence.job =
      job("{failed: 1, failedIndexes: '1', conditions: [{type: Failed, status: 'True'}]}");
  EXPECT_FALSE(page()["rerun"].is_null());
  input_.has_rerun = false;
  EXPECT_TRUE(page()["rerun"].is_null());
}

TEST_F(JobPageTest, TheLedgerTellsOfAttemptsWhosePodsAreGone) {
  input_.has_ledger = true;
  input_.attempts = {ledger::AttemptMaker()
                         .index(0)
                         .number(1)
                         .pod("old")
                         .exit(42)
                         .rule(0, "Input", "FailIndex")
                         .log("x\nbad 17\n")
                         .make()};
  input_.evidence.job = job("{failed: 1}");
  input_.evidence.pods = {pod("old", 0, "{phase: Failed}"), pod("new", 0, "{phase: Running}")};
  const auto document = page();
  const auto attempts = document["attempts"];
  ASSERT_EQ(attempts["pod"].get_array().size(), 2u);  // the pod of the record is not told of twice
  EXPECT_EQ(std::string_view(attempts["phase"]), "FR");
  EXPECT_EQ(int64_t(attempts["exit"].at(0)), 42);
  EXPECT_EQ(int64_t(attempts["rule"].at(0)), 0);
  EXPECT_EQ(int64_t(attempts["cause"].at(0)), 0);
  EXPECT_EQ(int64_t(attempts["cause"].at(1)), -1);
  EXPECT_EQ(int64_t(document["causes"].at(0)["count"]), 1);
  EXPECT_THAT(std::string(std::string_view(document["causes"].at(0)["sample_line"])),
              HasSubstr("bad 17"));
  EXPECT_EQ(int64_t(document["rules"].at(0)["matches"]), 1);
}

TEST_F(JobPageTest, RulesAreToldInWords) {
  input_.evidence.job = job("{}");
  const auto document = page();
  EXPECT_EQ(std::string_view(document["rules"].at(0)["when"]),
            "exit code in 42, 43 (container main)");
  EXPECT_EQ(std::string_view(document["rules"].at(1)["when"]), "condition DisruptionTarget");
}

TEST_F(JobPageTest, LogsOfFailuresComeFirstWithinTheirRoom) {
  input_.attempts = {
      ledger::AttemptMaker().index(0).pod("a").at(100).exit(1).log("early\n").make(),
      ledger::AttemptMaker().index(1).pod("b").at(200).exit(1).log("late!\n").make()};
  input_.evidence.job = job("{failed: 2}");
  input_.log_bytes = 6;
  const auto document = page();
  EXPECT_EQ(document["logs"].get_object().size(), 1u);
  EXPECT_EQ(std::string_view(document["logs"]["1"]), "late!\n");
}

TEST_F(JobPageTest, AReportHoldsTheDataAsTextOnly) {
  input_.attempts = {
      ledger::AttemptMaker().index(0).exit(1).log("</script><script>alert(1)</script>\n").make()};
  input_.evidence.job = job("{failed: 1}");
  input_.log_bytes = 1000;
  const std::string html = report_html("<b>title</b>", job_page_json(input_));
  EXPECT_THAT(html, HasSubstr("<title>&lt;b&gt;title&lt;/b&gt;</title>"));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(PageBundle, HasEveryModuleOnceAndNoImport) {
  const std::string text = bundle("report.js");
  EXPECT_THAT(text, Not(HasSubstr("import ")));
  EXPECT_THAT(text, HasSubstr("function job_page("));
  EXPECT_EQ(text.find("function el("), text.rfind("function el("));
  EXPECT_THAT(text, Not(HasSubstr("</script")));
}

}  // namespace
}  // namespace windlass::web
