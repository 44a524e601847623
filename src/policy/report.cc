#include "policy/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "engine/policy/failure_policy.h"

namespace windlass::policy {

namespace {

constexpr size_t kGap = 2;

// Characters, not bytes: names of conditions may be any UTF-8.
size_t width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string columns(const std::vector<std::vector<std::string>>& rows, const std::string& indent) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = indent;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - width(row[i]) + kGap, ' ');
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

namespace {

std::string count_text(const Outlook& outlook) {
  if (!outlook.counted) {
    return "not counted";
  }
  return outlook.limit == INT32_MAX ? "counts, without limit"
                                    : fmt::format("counts {}/{}", outlook.count, outlook.limit);
}

std::string rule_text(const Outlook& outlook) {
  if (outlook.judgement.rule < 0) {
    return "-";
  }
  const std::string index = std::to_string(outlook.judgement.rule);
  return outlook.rule_name.empty() ? index : index + " " + outlook.rule_name;
}

std::string action_text(const Outlook& outlook) {
  const std::string_view name = engine::action_name(outlook.judgement.action);
  return name.empty() ? "-" : std::string(name);
}

// Rows of the table: runs of the same failure with other codes and one effect.
std::vector<std::vector<const Outlook*>> group(const std::vector<Outlook>& outlooks) {
  std::vector<std::vector<const Outlook*>> rows;
  const auto belongs = [](const Outlook& a, const Outlook& b) {
    const Failure& x = a.failure;
    const Failure& y = b.failure;
    return x.cause == y.cause && x.container == y.container && x.other_code == y.other_code &&
           x.sidecar == y.sidecar && x.conditions.empty() && y.conditions.empty() &&
           x.cause != Failure::Cause::signal && same_effect(a, b);
  };
  for (const Outlook& outlook : outlooks) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& candidate) {
      return belongs(*candidate.front(), outlook);
    });
    if (row == rows.end()) {
      rows.push_back({&outlook});
    } else {
      row->push_back(&outlook);
    }
  }
  return rows;
}

std::string row_title(const std::vector<const Outlook*>& row) {
  std::vector<Failure> failures;
  for (const Outlook* outlook : row) {
    failures.push_back(outlook->failure);
  }
  return failures_text(failures);
}

// The message of each reason that a rule gives, once; the others say what their reason says.
std::string messages_text(const std::vector<Outlook>& outlooks) {
  std::vector<std::vector<std::string>> rows;
  std::set<std::string> seen;
  for (const Outlook& outlook : outlooks) {
    if (outlook.judgement.action == engine::Action::fail_job &&
        seen.insert(outlook.reason).second) {
      rows.push_back({outlook.reason + ":", outlook.message});
    }
  }
  return rows.empty() ? "" : "\nMessages:\n" + columns(rows, "  ");
}

}  // namespace

std::string next_text(const Outlook& outlook) {
  switch (outlook.outcome) {
    case FailureOutcome::retry:
      return fmt::format("{}, retry {}", count_text(outlook),
                         outlook.retry_after.value_or(Duration::zero()) == Duration::zero()
                             ? "at once"
                             : "after " + format_duration(*outlook.retry_after));
    case FailureOutcome::restart:
      return fmt::format("{}, restarted in its pod", count_text(outlook));
    case FailureOutcome::index_fails:
      return "index fails, Job continues";
    case FailureOutcome::job_fails:
      return "Job fails: " + outlook.reason;
    case FailureOutcome::succeeds:
      return "counts as success";
    case FailureOutcome::no_pod:
      break;
  }
  return "no pod ever runs";
}

std::string repeat_text(const Outlook& outlook) {
  const Repeat& repeat = outlook.repeat;
  if (outlook.outcome == FailureOutcome::job_fails || outlook.outcome == FailureOutcome::succeeds ||
      outlook.outcome == FailureOutcome::no_pod) {
    return "";
  }
  const std::string index =
      repeat.index_failures > 0 && outlook.outcome != FailureOutcome::index_fails
          ? fmt::format("index fails after {}, ", repeat.index_failures)
          : "";
  if (repeat.ended) {
    const std::string time =
        repeat.after > Duration::zero() ? fmt::format(" ({})", format_duration(repeat.after)) : "";
    return fmt::format("{}Job fails after {}{}: {}", index, repeat.failures, time, repeat.reason);
  }
  return index + (repeat.counts ? fmt::format("Job continues after {} failures", repeat.failures)
                                : "retried forever");
}

std::string outlook_table(const JobReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"FAILURE", "RULE", "ACTION", "NEXT", "IF IT REPEATS"}};
  for (const auto& row : group(report.outlooks)) {
    const Outlook& outlook = *row.front();
    rows.push_back({row_title(row), rule_text(outlook), action_text(outlook), next_text(outlook),
                    repeat_text(outlook)});
  }
  return fmt::format("{} ({})\n\n", report.title, report.source) + columns(rows) +
         messages_text(report.outlooks);
}

std::string case_list(const std::vector<JobReport>& reports) {
  std::string text;
  size_t total = 0;
  size_t failed = 0;
  for (const JobReport& report : reports) {
    text += fmt::format("{} ({})\n", report.title, report.source);
    for (size_t i = 0; i < report.cases.size(); ++i) {
      const PolicyCase& tried = report.cases[i];
      const auto& mismatches = report.mismatches[i];
      ++total;
      if (mismatches.empty()) {
        text += fmt::format("  ok    {}\n", tried.title());
        continue;
      }
      ++failed;
      text += fmt::format("  FAIL  {} ({})\n", tried.title(), tried.place);
      std::vector<std::vector<std::string>> rows = {{"", "EXPECTED", "GOT"}};
      for (const Mismatch& mismatch : mismatches) {
        rows.push_back({mismatch.field, mismatch.expected.empty() ? "-" : mismatch.expected,
                        mismatch.got.empty() ? "-" : mismatch.got});
      }
      text += columns(rows, "          ");
    }
  }
  return text + fmt::format("{} cases, {} failed\n", total, failed);
}

}  // namespace windlass::policy
