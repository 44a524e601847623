#include "cli/runs/run_report.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <limits>

#include "api/codec/json/json.h"
#include "api/codec/json/json_text.h"
#include "api/codec/json/json_value.h"
#include "api/codec/yaml/yaml.h"
#include "api/kind.h"
#include "base/check.h"
#include "base/index_set.h"
#include "base/json_writer.h"
#include "cli/output/reporter.h"
#include "explain/index_text.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::cli {
namespace {

using api::batch::v1::Job;

double seconds_in(Duration duration) {
  return static_cast<double>(
             std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) /
         1000.0;
}

IndexSet parsed_indexes(const std::string& text) {
  return IndexSet::parse_stored(text, std::numeric_limits<int32_t>::max()).set;
}

void add_indexes(JsonWriter& json, const Job& job) {
  const IndexSet succeeded = parsed_indexes(job.status().completed_indexes());
  const IndexSet failed = parsed_indexes(job.status().failed_indexes());
  json.key("indexes").open_object();
  json.member("succeeded", succeeded.to_string());
  json.member("failed", failed.to_string());
  json.member("remaining",
              explain::remaining_indexes(job.spec().completions(), succeeded, failed).to_string());
  json.close_object();
}

void add_job(JsonWriter& json, const ReportedJob& report) {
  const Job& job = *report.job;
  const auto verdict = verdict_of(job);
  json.open_object();
  json.member("namespace", job.metadata().namespace_()).member("name", job.metadata().name());
  json.member("uid", job.metadata().uid());
  json.member("verdict", !verdict ? "Unfinished" : verdict->complete ? "Complete" : "Failed");
  if (verdict) {
    json.member("reason", verdict->reason).member("message", verdict->message);
  }
  if (report.took) {
    json.key("seconds").real(seconds_in(*report.took));
  }
  json.member("completionMode", job.spec().completion_mode());
  if (job.spec().has_completions()) {
    json.key("completions").number(job.spec().completions());
  }
  json.key("parallelism").number(job.spec().parallelism());
  json.key("pods").open_object();
  json.key("succeeded").number(job.status().succeeded());
  json.key("failed").number(job.status().failed());
  json.key("ignored").number(report.ignored).close_object();
  if (job.spec().completion_mode() == "Indexed") {
    add_indexes(json, job);
  }
  json.key("causes").raw(report.causes.empty() ? "[]" : report.causes);
  json.key("job").raw(api::to_json(job, api::kinds::job().type_meta()));
  json.close_object();
}

const std::string& text_of(const api::JsonValue& value, std::string_view name) {
  static const std::string kNone;
  const api::JsonValue* member = value.find(name);
  return member == nullptr ? kNone : member->text;
}

int64_t number_of(const api::JsonValue* value) {
  int64_t number = 0;
  if (value != nullptr) {
    std::from_chars(value->text.data(), value->text.data() + value->text.size(), number);
  }
  return number;
}

ReportSummary::JobLine read_job(const api::JsonValue& job) {
  ReportSummary::JobLine line{text_of(job, "namespace"), text_of(job, "name"), text_of(job, "uid"),
                              text_of(job, "verdict"), text_of(job, "reason")};
  if (const api::JsonValue* pods = job.find("pods")) {
    line.succeeded = number_of(pods->find("succeeded"));
  }
  if (const api::JsonValue* indexes = job.find("indexes")) {
    line.indexes = text_of(*indexes, "succeeded");
  }
  return line;
}

}  // namespace

std::string_view name_of(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::complete:
      return "Complete";
    case RunVerdict::failed:
      return "Failed";
    case RunVerdict::timed_out:
      return "TimedOut";
    case RunVerdict::interrupted:
      return "Interrupted";
    case RunVerdict::error:
      return "Error";
    case RunVerdict::running:
      break;
  }
  return "Running";
}

std::string report_json(const RunAccount& report) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("apiVersion", kReportVersion).member("kind", kReportKind);
  if (!report.run.empty()) {
    json.member("run", report.run);
  }
  if (!report.resumes.empty()) {
    json.member("resumes", report.resumes);
  }
  json.member("verdict", name_of(report.verdict));
  if (report.exit_code) {
    json.key("exitCode").number(*report.exit_code);
  }
  json.member("startedAt", format_rfc3339(report.started));
  json.member("endedAt", format_rfc3339(report.ended));
  json.key("seconds").real(seconds_in(report.ended - report.started));
  json.key("jobs").open_list();
  for (const ReportedJob& job : report.jobs) {
    add_job(json, job);
  }
  json.close_list().close_object();
  return text;
}

std::string printed_report(const RunAccount& report, OutputFormat format) {
  const std::string json = report_json(report);
  if (format == OutputFormat::yaml) {
    auto yaml = api::json_to_yaml(json);
    CHECK(yaml.has_value(), "what the writer writes is JSON");
    return *std::move(yaml);
  }
  std::string text;
  api::append_pretty_json(json, text);
  return text + "\n";
}

Result<ReportSummary> read_report(std::string_view json) {
  TRY(const api::JsonTree tree, api::parse_json_value(json));
  if (text_of(tree.value, "apiVersion") != kReportVersion ||
      text_of(tree.value, "kind") != kReportKind) {
    return fail(
        plain_error(fmt::format("not a {} {}: {} {}", kReportVersion, kReportKind,
                                text_of(tree.value, "apiVersion"), text_of(tree.value, "kind"))));
  }
  ReportSummary summary;
  summary.verdict = text_of(tree.value, "verdict");
  TRY(summary.started, parse_rfc3339(text_of(tree.value, "startedAt")));
  constexpr double kLongest = 1e9;
  const double took = std::strtod(text_of(tree.value, "seconds").c_str(), nullptr);
  if (took > 0 && took < kLongest) {
    summary.took = milliseconds(static_cast<int64_t>(took * 1000));
  }
  if (const api::JsonValue* jobs = tree.value.find("jobs")) {
    for (const api::JsonValue& job : jobs->items) {
      summary.jobs.push_back(read_job(job));
    }
  }
  return summary;
}

}  // namespace windlass::cli
