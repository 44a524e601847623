#include "cli/commands/ledger/attempt_writer.h"

#include <algorithm>
#include <utility>

#include "api/codec/json/json.h"
#include "api/kind.h"
#include "base/utf8.h"
#include "cli/output/text.h"
#include "ledger/attempt_facts.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::cli {
namespace {

using api::ledger::v1::Attempt;

constexpr size_t kGap = 3;
// Of a reason or rule, which may be any text.
constexpr size_t kMaxCell = 40;

std::string optional_text(const std::optional<int32_t>& number) {
  return number ? std::to_string(*number) : "";
}

std::string index_text(const Attempt& attempt) {
  return attempt.has_index() ? std::to_string(attempt.index()) : "";
}

std::string time_text(bool known, const api::meta::v1::Time& time) {
  return known ? format_rfc3339(UnixTime{time.seconds(), 0}) : "";
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

// As RFC 4180 has it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') {
      quoted += c;
    }
  }
  return quoted + '"';
}

constexpr const char* kCsvHeader =
    "namespace,job,job_uid,index,attempt,pod,pod_uid,node,phase,counted,exit_code,reason,rule,"
    "created,scheduled,started,ended\n";

std::string csv_line(const Attempt& attempt) {
  std::string line;
  for (const std::string& field :
       {attempt.metadata().namespace_(), attempt.job().name(), attempt.job().uid(),
        index_text(attempt), std::to_string(attempt.number()), attempt.pod_name(),
        attempt.metadata().name(), attempt.node_name(), attempt.phase(),
        attempt.verdict().counted(), optional_text(ledger::exit_code_of(attempt)),
        ledger::reason_of(attempt), ledger::rule_of(attempt),
        time_text(attempt.has_created_at(), attempt.created_at()),
        time_text(attempt.has_scheduled_at(), attempt.scheduled_at()),
        time_text(attempt.has_started_at(), attempt.started_at()),
        time_text(attempt.has_ended_at(), attempt.ended_at())}) {
    line += (line.empty() ? "" : ",") + csv_field(field);
  }
  return line + '\n';
}

std::string json_of(const Attempt& attempt) {
  std::string json;
  api::encode_json(attempt, api::kinds::attempt().type_meta(), api::JsonStyle::compact, json);
  return json;
}

}  // namespace

void AttemptWriter::add(const Attempt& attempt) {
  const bool first = count_++ == 0;
  switch (format_) {
    case AttemptFormat::json_lines:
      output_.out(json_of(attempt) + '\n');
      break;
    case AttemptFormat::json:
      output_.out((first ? R"({"kind":"AttemptList","apiVersion":"ledger.windlass.dev/v1",)"
                           R"("metadata":{},"items":[)"
                           "\n"
                         : ",\n") +
                  json_of(attempt));
      break;
    case AttemptFormat::csv:
      output_.out((first ? kCsvHeader : "") + csv_line(attempt));
      break;
    case AttemptFormat::table: {
      const auto cell = [](const std::string& text) {
        return or_dash(cut_to_columns(one_line(text), kMaxCell));
      };
      Cells cells = {attempt.job().name(),
                     or_dash(index_text(attempt)),
                     std::to_string(attempt.number()),
                     cell(attempt.verdict().counted()),
                     or_dash(optional_text(ledger::exit_code_of(attempt))),
                     cell(ledger::reason_of(attempt)),
                     cell(ledger::rule_of(attempt)),
                     cell(attempt.node_name()),
                     or_dash(time_text(attempt.has_ended_at(), attempt.ended_at())),
                     cell(attempt.pod_name())};
      if (with_namespace_) {
        cells.insert(cells.begin(), attempt.metadata().namespace_());
      }
      rows_.push_back(std::move(cells));
    }
  }
}

void AttemptWriter::finish() {
  switch (format_) {
    case AttemptFormat::json_lines:
      break;
    case AttemptFormat::json:
      output_.out(count_ > 0 ? "\n]}\n"
                             : R"({"kind":"AttemptList","apiVersion":"ledger.windlass.dev/v1",)"
                               R"("metadata":{},"items":[]})"
                               "\n");
      break;
    case AttemptFormat::csv:
      output_.out(count_ > 0 ? "" : kCsvHeader);
      break;
    case AttemptFormat::table:
      write_table();
  }
}

void AttemptWriter::write_table() {
  if (rows_.empty()) {
    output_.err("No attempts found\n");
    return;
  }
  Cells head = {"JOB",    "INDEX", "ATTEMPT", "COUNTED", "EXIT",
                "REASON", "RULE",  "NODE",    "ENDED",   "POD"};
  if (with_namespace_) {
    head.insert(head.begin(), "NAMESPACE");
  }
  rows_.insert(rows_.begin(), std::move(head));
  std::vector<size_t> widths(rows_.front().size());
  for (const Cells& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], shown_columns(row[i]));
    }
  }
  std::string text;
  for (const Cells& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      text +=
          i + 1 == row.size() ? "\n" : std::string(widths[i] + kGap - shown_columns(row[i]), ' ');
    }
  }
  output_.out(text);
}

}  // namespace windlass::cli
