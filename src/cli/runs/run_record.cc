#include "cli/runs/run_record.h"

#include <fmt/format.h>

#include <charconv>

#include "api/codec/json/json_value.h"
#include "base/json_writer.h"
#include "cli/runs/run_report.h"

namespace windlass::cli {
namespace {

constexpr std::string_view kRecordKind = "Run";

std::string string_at(const api::JsonValue& value, std::string_view name) {
  const api::JsonValue* member = value.find(name);
  return member != nullptr && member->is_string() ? member->text : "";
}

bool is_true_at(const api::JsonValue& value, std::string_view name) {
  const api::JsonValue* member = value.find(name);
  return member != nullptr && member->text == "true";
}

int64_t number_at(const api::JsonValue& value, std::string_view name) {
  const api::JsonValue* member = value.find(name);
  int64_t number = 0;
  if (member != nullptr) {
    std::from_chars(member->text.data(), member->text.data() + member->text.size(), number);
  }
  return number;
}

}  // namespace

std::string record_json(const RunRecord& record) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("apiVersion", kReportVersion).member("kind", kRecordKind);
  json.member("startedAt", format_rfc3339(record.started));
  json.member("directory", record.directory).strings("files", record.files);
  json.key("recursive").boolean(record.recursive);
  json.member("namespace", record.ns).member("resumes", record.resumes);
  json.key("done").open_list();
  for (const RunRecord::DoneJob& job : record.done) {
    json.open_object().member("namespace", job.ns).member("name", job.name);
    json.key("complete").boolean(job.complete);
    json.member("indexes", job.indexes);
    json.key("completions").number(job.completions).close_object();
  }
  json.close_list().close_object();
  return text;
}

Result<RunRecord> read_record(std::string_view text) {
  TRY(const api::JsonTree tree, api::parse_json_value(text));
  const api::JsonValue& value = tree.value;
  if (string_at(value, "apiVersion") != kReportVersion || string_at(value, "kind") != kRecordKind) {
    return fail(plain_error(fmt::format("not a {} {}", kReportVersion, kRecordKind)));
  }
  RunRecord record;
  TRY(record.started, parse_rfc3339(string_at(value, "startedAt")));
  record.directory = string_at(value, "directory");
  record.recursive = is_true_at(value, "recursive");
  record.ns = string_at(value, "namespace");
  record.resumes = string_at(value, "resumes");
  if (const api::JsonValue* files = value.find("files")) {
    for (const api::JsonValue& file : files->items) {
      record.files.push_back(file.text);
    }
  }
  if (const api::JsonValue* done = value.find("done")) {
    for (const api::JsonValue& job : done->items) {
      record.done.push_back({string_at(job, "namespace"), string_at(job, "name"),
                             is_true_at(job, "complete"), string_at(job, "indexes"),
                             number_at(job, "completions")});
    }
  }
  return record;
}

}  // namespace windlass::cli
