#include "cli/commands/explain/attempt_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/json_writer.h"
#include "base/short_indexes.h"
#include "cli/flags/flags.h"
#include "cli/output/text.h"
#include "ledger/causes/cause_text.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::cli {
namespace {

using explain::AttemptDigest;
using ledger::FailureCause;

std::string job_line(const AttemptReport& report) {
  std::string text =
      fmt::format("job.batch/{} in namespace {}{}\n", report.digest.job_name(), report.options.ns,
                  report.gone ? ": gone; these are its attempts in the ledger" : "");
  if (report.gone) {
    text += fmt::format("  UID {}\n", report.digest.job_uid());
  }
  if (report.earlier_jobs > 0) {
    text += fmt::format("  {} before it had the same name\n",
                        counted(report.earlier_jobs, "other Job"));
  }
  return text;
}

void open_json(const AttemptReport& report, JsonWriter& json) {
  json.open_object();
  json.member("job", report.digest.job_name());
  json.member("namespace", report.options.ns);
  json.member("uid", report.digest.job_uid());
  if (report.gone) {
    json.member("state", "Gone");
  }
}

std::string log_section(const api::ledger::v1::Attempt& attempt, int64_t lines) {
  std::string text;
  for (const std::string& line : explain::last_log_lines(attempt, static_cast<size_t>(lines))) {
    text += "  " + line + "\n";
  }
  return text.empty() ? text
                      : fmt::format("\nLast lines of the log of {}\n{}", attempt.pod_name(), text);
}

Result<std::string> report_cause(const AttemptReport& report) {
  TRY(const FailureCause* cause, report.digest.groups().find(report.options.cause));
  const auto causes = report.digest.groups().causes();
  const auto place = std::find(causes.begin(), causes.end(), cause) - causes.begin() + 1;
  if (!report.options.json) {
    return job_line(report) + "\n" +
           ledger::cause_block(report.digest.groups(), *cause, static_cast<size_t>(place),
                               kTextColumns) +
           explain::cause_story(report.digest, *cause,
                                static_cast<size_t>(report.options.log_lines));
  }
  std::string text;
  JsonWriter json(text);
  open_json(report, json);
  explain::write_attempts(report.digest, std::nullopt, json);
  explain::write_members(report.digest, *cause, json);
  json.close_object();
  return text + "\n";
}

Result<std::string> report_comparison(const AttemptReport& report) {
  TRY(const auto names, compared_attempts(report.options));
  const auto& found = report.digest.wanted_attempts();
  for (size_t i = 0; i < names.size(); ++i) {
    if (found[i] == nullptr) {
      return fail(
          plain_error(fmt::format("no attempt \"{}\" of job/{}: name its pod, or its index "
                                  "and number, such as 7:2",
                                  names[i].text, report.digest.job_name())));
    }
  }
  const auto lines = static_cast<size_t>(report.options.log_lines);
  if (!report.options.json) {
    return job_line(report) + "\n" + explain::comparison(*found[0], *found[1], lines);
  }
  std::string text;
  JsonWriter json(text);
  open_json(report, json);
  explain::write_compared({found[0], found[1]}, lines, json);
  json.close_object();
  return text + "\n";
}

std::string gone_text(const AttemptReport& report) {
  const AttemptDigest& digest = report.digest;
  std::string text = job_line(report) + "  " + explain::attempts_line(digest) + "\n";
  if (!digest.succeeded_indexes().empty()) {
    text += fmt::format("  completed indexes  {}\n", short_indexes(digest.succeeded_indexes()));
  }
  ledger::AttemptPtr logged = digest.index_failure();
  if (report.options.index) {
    text += fmt::format("\nIndex {}: {}\n", *report.options.index,
                        counted(static_cast<size_t>(digest.index_attempts()), "attempt"));
    text += explain::index_story(digest, report.now);
  } else {
    text += causes_section(digest, false);
    const auto causes = digest.groups().causes();
    logged = causes.empty() ? nullptr : causes[0]->sample;
  }
  return logged == nullptr ? text : text + log_section(*logged, report.options.log_lines);
}

std::string gone_json(const AttemptReport& report) {
  std::string text;
  JsonWriter json(text);
  open_json(report, json);
  explain::write_attempts(report.digest, report.options.index, json);
  json.close_object();
  return text + "\n";
}

}  // namespace

Result<std::vector<explain::AttemptName>> compared_attempts(const ExplainOptions& options) {
  std::vector<explain::AttemptName> names;
  for (const std::string_view text : comma_separated(options.attempts)) {
    TRY(auto name, explain::parse_attempt_name(std::string(text), options.index));
    names.push_back(std::move(name));
  }
  if (!options.attempts.empty() && names.size() != 2) {
    return fail(plain_error(fmt::format(
        "invalid --attempts \"{}\": must name two attempts, such as 7:1,7:2 or two pods",
        options.attempts)));
  }
  return names;
}

Result<std::string> report_attempts(const AttemptReport& report) {
  if (!report.options.cause.empty()) {
    return report_cause(report);
  }
  if (!report.options.attempts.empty()) {
    return report_comparison(report);
  }
  if (report.options.index && report.digest.index_attempts() == 0) {
    return fail(plain_error(fmt::format("the ledger has no attempt of index {} of job/{}",
                                        *report.options.index, report.digest.job_name())));
  }
  return report.options.json ? gone_json(report) : gone_text(report);
}

std::string causes_section(const AttemptDigest& digest, bool from_pods) {
  const std::string block = ledger::causes_block(digest.groups(), kTextColumns);
  if (block.empty()) {
    return block;
  }
  return fmt::format("\nFailures by cause{}: {}", from_pods ? ", of pods that still exist" : "",
                     block);
}

}  // namespace windlass::cli
