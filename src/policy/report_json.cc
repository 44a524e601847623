// Reports for programs: JSON and JUnit.
#include <fmt/format.h>

#include "api/codec/json/json_text.h"
#include "base/json_writer.h"
#include "base/xml.h"
#include "engine/policy/failure_policy.h"
#include "policy/report.h"

namespace windlass::policy {
namespace {

double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

void write_rule(const Outlook& outlook, JsonWriter& json) {
  if (outlook.judgement.rule < 0) {
    json.null();
    return;
  }
  json.open_object().key("index").number(outlook.judgement.rule);
  if (!outlook.rule_name.empty()) {
    json.member("name", outlook.rule_name);
  }
  json.close_object();
}

void write_repeat(const Repeat& repeat, JsonWriter& json) {
  json.open_object().key("failures").number(repeat.failures);
  json.key("jobFails").boolean(repeat.ended);
  if (repeat.index_failures > 0) {
    json.key("indexFailsAfter").number(repeat.index_failures);
  }
  if (repeat.ended) {
    json.key("afterSeconds").real(in_seconds(repeat.after));
    json.member("reason", repeat.reason);
  }
  json.close_object();
}

void write_outlook(const Outlook& outlook, JsonWriter& json) {
  json.member("failure", failure_text(outlook.failure));
  if (outlook.times > 1) {
    json.key("times").number(outlook.times);
  }
  json.key("rule");
  write_rule(outlook, json);
  const std::string_view action = engine::action_name(outlook.judgement.action);
  json.key("action");
  action.empty() ? json.null() : json.string(action);
  json.member("outcome", outcome_name(outlook.outcome));
  json.key("counted").boolean(outlook.counted);
  if (outlook.retry_after) {
    json.key("retryAfterSeconds").real(in_seconds(*outlook.retry_after));
  }
  if (outlook.outcome == FailureOutcome::job_fails) {
    json.member("reason", outlook.reason).member("message", outlook.message);
  } else if (outlook.outcome != FailureOutcome::succeeds &&
             outlook.outcome != FailureOutcome::no_pod) {
    json.key("ifItRepeats");
    write_repeat(outlook.repeat, json);
  }
}

void write_case(const JobReport& report, size_t i, JsonWriter& json) {
  json.open_object();
  if (i < report.cases.size()) {
    json.member("name", report.cases[i].title()).member("place", report.cases[i].place);
    json.key("passed").boolean(report.mismatches[i].empty());
    if (!report.mismatches[i].empty()) {
      json.key("mismatches").open_list();
      for (const Mismatch& mismatch : report.mismatches[i]) {
        json.open_object().member("field", mismatch.field).member("expected", mismatch.expected);
        json.member("got", mismatch.got).close_object();
      }
      json.close_list();
    }
  }
  write_outlook(report.outlooks[i], json);
  json.close_object();
}

std::string junit_case(const JobReport& report, size_t i) {
  const auto& mismatches = report.mismatches[i];
  std::string text = fmt::format(R"(    <testcase classname="{}" name="{}")",
                                 xml_escaped(report.title), xml_escaped(report.cases[i].title()));
  if (mismatches.empty()) {
    return text + "/>\n";
  }
  std::string summary;
  std::string details;
  for (const Mismatch& mismatch : mismatches) {
    summary += fmt::format("{}{}: expected {}, got {}", summary.empty() ? "" : "; ", mismatch.field,
                           mismatch.expected, mismatch.got);
    details += fmt::format("{}: expected {}, got {}\n", xml_escaped(mismatch.field),
                           xml_escaped(mismatch.expected), xml_escaped(mismatch.got));
  }
  return text + fmt::format(">\n      <failure message=\"{}\">{}\n{}</failure>\n    </testcase>\n",
                            xml_escaped(summary), xml_escaped(report.cases[i].place), details);
}

}  // namespace

std::string reports_json(const std::vector<JobReport>& reports) {
  std::string compact;
  JsonWriter json(compact);
  json.open_object().key("jobs").open_list();
  for (const JobReport& report : reports) {
    json.open_object().member("job", report.title).member("source", report.source);
    json.key("cases").open_list();
    for (size_t i = 0; i < report.outlooks.size(); ++i) {
      write_case(report, i, json);
    }
    json.close_list().close_object();
  }
  json.close_list().close_object();
  std::string text;
  api::append_pretty_json(compact, text);
  return text + "\n";
}

std::string junit_xml(const std::vector<JobReport>& reports) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const JobReport& report : reports) {
    size_t failed = 0;
    std::string cases;
    for (size_t i = 0; i < report.cases.size(); ++i) {
      failed += report.mismatches[i].empty() ? 0U : 1U;
      cases += junit_case(report, i);
    }
    text += fmt::format(
        "  <testsuite name=\"{}\" file=\"{}\" tests=\"{}\" failures=\"{}\">\n{}"
        "  </testsuite>\n",
        xml_escaped(report.title), xml_escaped(report.source), report.cases.size(), failed, cases);
  }
  return text + "</testsuites>\n";
}

}  // namespace windlass::policy
