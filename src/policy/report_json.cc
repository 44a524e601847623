// Reports for programs: JSON and JUnit.
#include <fmt/format.h>

#include "api/codec/json_text.h"
#include "job/failure_policy.h"
#include "policy/json_object.h"
#include "policy/report.h"

namespace windlass::policy {
namespace {

double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string rule_json(const Outlook& outlook) {
  if (outlook.judgement.rule < 0) {
    return "null";
  }
  JsonObject rule;
  rule.add_number("index", outlook.judgement.rule);
  if (!outlook.rule_name.empty()) {
    rule.add_text("name", outlook.rule_name);
  }
  return rule.text();
}

std::string repeat_json(const Repeat& repeat) {
  JsonObject out;
  out.add_number("failures", repeat.failures);
  out.add_bool("jobFails", repeat.ended);
  if (repeat.index_failures > 0) {
    out.add_number("indexFailsAfter", repeat.index_failures);
  }
  if (repeat.ended) {
    out.add_raw("afterSeconds", fmt::format("{}", in_seconds(repeat.after)));
    out.add_text("reason", repeat.reason);
  }
  return out.text();
}

void add_outlook(JsonObject& out, const Outlook& outlook) {
  out.add_text("failure", failure_text(outlook.failure));
  if (outlook.times > 1) {
    out.add_number("times", outlook.times);
  }
  out.add_raw("rule", rule_json(outlook));
  const std::string_view action = job::action_name(outlook.judgement.action);
  action.empty() ? out.add_raw("action", "null") : out.add_text("action", action);
  out.add_text("outcome", outcome_name(outlook.outcome));
  out.add_bool("counted", outlook.counted);
  if (outlook.retry_after) {
    out.add_raw("retryAfterSeconds", fmt::format("{}", in_seconds(*outlook.retry_after)));
  }
  if (outlook.outcome == Outcome::job_fails) {
    out.add_text("reason", outlook.reason);
    out.add_text("message", outlook.message);
  } else if (outlook.outcome != Outcome::succeeds && outlook.outcome != Outcome::no_pod) {
    out.add_raw("ifItRepeats", repeat_json(outlook.repeat));
  }
}

std::string case_json(const JobReport& report, size_t i) {
  JsonObject out;
  if (i < report.cases.size()) {
    out.add_text("name", report.cases[i].title());
    out.add_text("place", report.cases[i].place);
    out.add_bool("passed", report.mismatches[i].empty());
    std::vector<std::string> mismatches;
    for (const Mismatch& mismatch : report.mismatches[i]) {
      JsonObject item;
      item.add_text("field", mismatch.field);
      item.add_text("expected", mismatch.expected);
      item.add_text("got", mismatch.got);
      mismatches.push_back(item.text());
    }
    if (!mismatches.empty()) {
      out.add_raw("mismatches", json_list(mismatches));
    }
  }
  add_outlook(out, report.outlooks[i]);
  return out.text();
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
      case '\t':
        out += ' ';
        break;
      default:
        // Other control characters are not XML, escaped or not.
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

std::string junit_case(const JobReport& report, size_t i) {
  const auto& mismatches = report.mismatches[i];
  std::string text = fmt::format(R"(    <testcase classname="{}" name="{}")", escaped(report.title),
                                 escaped(report.cases[i].title()));
  if (mismatches.empty()) {
    return text + "/>\n";
  }
  std::string summary;
  std::string details;
  for (const Mismatch& mismatch : mismatches) {
    summary += fmt::format("{}{}: expected {}, got {}", summary.empty() ? "" : "; ", mismatch.field,
                           mismatch.expected, mismatch.got);
    details += fmt::format("{}: expected {}, got {}\n", escaped(mismatch.field),
                           escaped(mismatch.expected), escaped(mismatch.got));
  }
  return text + fmt::format(">\n      <failure message=\"{}\">{}\n{}</failure>\n    </testcase>\n",
                            escaped(summary), escaped(report.cases[i].place), details);
}

}  // namespace

std::string reports_json(const std::vector<JobReport>& reports) {
  std::vector<std::string> jobs;
  for (const JobReport& report : reports) {
    JsonObject job;
    job.add_text("job", report.title);
    job.add_text("source", report.source);
    std::vector<std::string> cases;
    for (size_t i = 0; i < report.outlooks.size(); ++i) {
      cases.push_back(case_json(report, i));
    }
    job.add_raw("cases", json_list(cases));
    jobs.push_back(job.text());
  }
  JsonObject root;
  root.add_raw("jobs", json_list(jobs));
  std::string text;
  api::append_pretty_json(root.text(), text);
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
        escaped(report.title), escaped(report.source), report.cases.size(), failed, cases);
  }
  return text + "</testsuites>\n";
}

}  // namespace windlass::policy
