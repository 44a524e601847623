// Attempts of the ledger in words and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json_writer.h"
#include "base/plain_line.h"
#include "explain/attempt_digest.h"
#include "ledger/attempt_facts.h"
#include "ledger/causes/cause_key.h"
#include "ledger/causes/cause_text.h"
#include "policy/report.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::explain {
namespace {

using api::ledger::v1::Attempt;
using api::ledger::v1::AttemptContainer;

constexpr size_t kMaxCellBytes = 200;
constexpr size_t kMembersShown = 20;

std::string cell(std::string_view text) {
  return plain_line(text, kMaxCellBytes);
}

std::string time_text(const std::optional<Time>& time) {
  return time ? format_rfc3339(*time) : "";
}

std::string attempt_title(const AttemptLine& line) {
  const std::string index = line.index ? fmt::format("index {}, ", *line.index) : "";
  return fmt::format("{}attempt {}", index, line.number);
}

// `Failed 3m ago after 12s`
std::string end_text(const AttemptLine& line, Time now) {
  std::string text = cell(line.phase);
  if (line.ended) {
    text += fmt::format(" {} ago", human_duration(std::max(Duration::zero(), now - *line.ended)));
  }
  if (line.ended && line.started) {
    text += fmt::format(" after {}",
                        human_duration(std::max(Duration::zero(), *line.ended - *line.started)));
  }
  return text;
}

// What it meant for the Job: the rule, and how it counted unless the rule says so.
std::string verdict_text(const AttemptLine& line) {
  if (line.counted == "None") {
    return "removed by the Job";
  }
  if (line.counted == "Ignored") {
    return line.rule.empty() ? "ignored" : cell(line.rule);
  }
  return cell(line.rule);
}

void add_log_lines(const Attempt& attempt, size_t log_lines, const std::string& indent,
                   std::string& text) {
  if (attempt.log().has_error()) {
    text += fmt::format("{}cannot be read: {}\n", indent, cell(attempt.log().error()));
  }
  for (const std::string& line : last_log_lines(attempt, log_lines)) {
    text += indent + line + "\n";
  }
}

// The facts of one attempt for a comparison, in the same order for each.
struct Fact {
  std::string name;
  std::string value;
};

std::string quantities(const google::protobuf::Map<std::string, api::meta::v1::Quantity>& map) {
  std::map<std::string, std::string> sorted;
  for (const auto& [name, quantity] : map) {
    sorted[name] = quantity.string();
  }
  std::vector<std::string> parts;
  for (const auto& [name, quantity] : sorted) {
    parts.push_back(name + "=" + quantity);
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string exit_text(const AttemptContainer& container) {
  std::string text;
  if (container.has_exit_code()) {
    text = fmt::format("exit {}", container.exit_code());
  }
  if (container.signal() != 0) {
    text += fmt::format("{}signal {}", text.empty() ? "" : ", ", container.signal());
  }
  if (!container.reason().empty()) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", container.reason());
  }
  if (container.restarts() != 0) {
    text += fmt::format(", {} restarts", container.restarts());
  }
  return text;
}

void add_container_facts(const AttemptContainer& container, std::vector<Fact>& facts) {
  const std::string name = cell(container.name());
  facts.push_back({name, exit_text(container)});
  facts.push_back({name + " image", container.image()});
  facts.push_back({name + " requests", quantities(container.requests())});
  facts.push_back({name + " limits", quantities(container.limits())});
  facts.push_back({name + " peak memory",
                   container.has_peak_memory_bytes()
                       ? fmt::format("{} MiB", (container.peak_memory_bytes() + 524'288) >> 20)
                       : ""});
  facts.push_back(
      {name + " processor time",
       container.has_cpu_microseconds()
           ? fmt::format("{:.1f} s", static_cast<double>(container.cpu_microseconds()) / 1e6)
           : ""});
  facts.push_back({name + " message", container.message()});
}

std::string span_text(const Attempt& attempt, bool has_ends, int64_t from, int64_t to) {
  return attempt.has_ended_at() && has_ends
             ? human_duration(bounded_seconds(std::max<int64_t>(0, to - from)))
             : "";
}

std::vector<Fact> facts_of(const Attempt& attempt) {
  const auto cause = ledger::cause_of(attempt);
  std::vector<Fact> facts = {
      {"pod", attempt.pod_name()},
      {"index", attempt.has_index() ? std::to_string(attempt.index()) : ""},
      {"attempt", std::to_string(attempt.number())},
      {"node", attempt.node_name()},
      {"phase", attempt.phase()},
      {"reason", attempt.reason()},
      {"cause", cause ? ledger::cause_title(cause->key, cause->has_other_containers) : ""},
      {"counted", attempt.verdict().counted()},
      {"disruption", attempt.disruption().reason()},
      {"ended",
       attempt.has_ended_at() ? format_rfc3339(time_from_unix(ledger::time_of(attempt))) : ""},
      {"waited", attempt.has_started_at() && attempt.has_created_at()
                     ? human_duration(bounded_seconds(std::max<int64_t>(
                           0, attempt.started_at().seconds() - attempt.created_at().seconds())))
                     : ""},
      {"ran", span_text(attempt, attempt.has_started_at(), attempt.started_at().seconds(),
                        attempt.ended_at().seconds())},
  };
  for (const AttemptContainer& container : attempt.containers()) {
    add_container_facts(container, facts);
  }
  return facts;
}

std::string value_of(const std::vector<Fact>& facts, const std::string& name) {
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [&name](const Fact& fact) { return fact.name == name; });
  return found == facts.end() ? "" : cell(found->value);
}

void write_text(JsonWriter& json, std::string_view key, std::string_view text) {
  if (!text.empty()) {
    json.member(key, text);
  }
}

void write_line(const AttemptLine& line, JsonWriter& json) {
  json.open_object();
  json.member("pod", line.pod);
  json.member("podUID", line.pod_uid);
  write_text(json, "node", line.node);
  if (line.index) {
    json.key("index").number(*line.index);
  }
  json.key("attempt").number(line.number);
  write_text(json, "phase", line.phase);
  write_text(json, "counted", line.counted);
  write_text(json, "cause", line.cause);
  write_text(json, "ruleText", line.rule);
  write_text(json, "line", line.line);
  write_text(json, "created", time_text(line.created));
  write_text(json, "started", time_text(line.started));
  write_text(json, "ended", time_text(line.ended));
  json.close_object();
}

}  // namespace

std::string attempts_line(const AttemptDigest& digest) {
  std::vector<std::string> parts;
  for (const char* how : {"Succeeded", "Failed", "Ignored"}) {
    std::string word = how;
    word[0] = static_cast<char>(word[0] - 'A' + 'a');
    parts.push_back(fmt::format("{} {}", digest.counted(how), word));
  }
  if (const int64_t removed = digest.counted("None"); removed > 0) {
    parts.push_back(fmt::format("{} removed by the Job", removed));
  }
  const std::string span =
      digest.first() && digest.last()
          ? fmt::format(" between {} and {}", time_text(digest.first()), time_text(digest.last()))
          : "";
  return fmt::format("{} attempt{}{}: {}", digest.attempts(), digest.attempts() == 1 ? "" : "s",
                     span, fmt::join(parts, ", "));
}

std::string index_story(const AttemptDigest& digest, Time now) {
  std::string text;
  for (const AttemptLine& line : digest.index_lines()) {
    text += fmt::format("  attempt {}  {}{}{}  {}\n", line.number, cell(line.pod),
                        line.node.empty() ? "" : " on ", cell(line.node), end_text(line, now));
    const std::string verdict = verdict_text(line);
    if (!line.cause.empty() || !verdict.empty()) {
      text += fmt::format("    {}{}{}\n", line.cause,
                          line.cause.empty() || verdict.empty() ? "" : "; ", verdict);
    }
    if (!line.line.empty()) {
      text += "    last: " + line.line + "\n";
    }
  }
  const auto shown = static_cast<int64_t>(digest.index_lines().size());
  if (shown < digest.index_attempts()) {
    text += fmt::format("  and {} more attempts\n", digest.index_attempts() - shown);
  }
  return text;
}

std::string cause_story(const AttemptDigest& digest, const ledger::FailureCause& cause,
                        size_t log_lines) {
  const auto& members = digest.members(cause);
  const size_t shown = std::min(members.size(), kMembersShown);
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < shown; ++i) {
    const AttemptLine& line = members[i];
    rows.push_back({attempt_title(line), cell(line.pod), cell(line.node), time_text(line.ended)});
  }
  std::string text = "\nAttempts\n" + policy::columns(rows, "  ");
  if (static_cast<int64_t>(shown) < cause.count) {
    text += fmt::format("  and {} more\n", cause.count - static_cast<int64_t>(shown));
  }
  if (log_lines > 0 && cause.sample->has_log()) {
    text += fmt::format("\nLast lines of the log of {}\n", cell(cause.sample->pod_name()));
    add_log_lines(*cause.sample, log_lines, "  ", text);
  }
  return text;
}

std::string comparison(const Attempt& one, const Attempt& other, size_t log_lines) {
  const std::vector<Fact> left = facts_of(one);
  const std::vector<Fact> right = facts_of(other);
  std::vector<std::string> names;
  for (const auto* facts : {&left, &right}) {
    for (const Fact& fact : *facts) {
      if (std::find(names.begin(), names.end(), fact.name) == names.end()) {
        names.push_back(fact.name);
      }
    }
  }
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : names) {
    const std::string a = value_of(left, name);
    const std::string b = value_of(right, name);
    if (!a.empty() || !b.empty()) {
      rows.push_back({a == b ? " " : "*", name, a.empty() ? "-" : a, b.empty() ? "-" : b});
    }
  }
  std::string text = "Two attempts; * marks what differs\n" + policy::columns(rows, " ");
  for (const Attempt* attempt : {&one, &other}) {
    if (log_lines > 0 && attempt->has_log()) {
      text += fmt::format("\nLast lines of the log of {}\n", cell(attempt->pod_name()));
      add_log_lines(*attempt, log_lines, "  ", text);
    }
  }
  return text;
}

void write_attempts(const AttemptDigest& digest, std::optional<int64_t> index, JsonWriter& json) {
  json.key("attempts").open_object();
  json.key("total").number(digest.attempts());
  json.key("succeeded").number(digest.counted("Succeeded"));
  json.key("failed").number(digest.counted("Failed"));
  json.key("ignored").number(digest.counted("Ignored"));
  json.key("removed").number(digest.counted("None"));
  write_text(json, "first", time_text(digest.first()));
  write_text(json, "last", time_text(digest.last()));
  json.close_object();
  json.key("causes");
  ledger::write_causes(digest.groups(), json);
  if (index) {
    json.key("indexAttempts").open_list();
    for (const AttemptLine& line : digest.index_lines()) {
      write_line(line, json);
    }
    json.close_list();
  }
}

void write_members(const AttemptDigest& digest, const ledger::FailureCause& cause,
                   JsonWriter& json) {
  json.member("cause", cause.id);
  json.key("members").open_list();
  for (const AttemptLine& line : digest.members(cause)) {
    write_line(line, json);
  }
  json.close_list();
}

void write_compared(const std::vector<ledger::AttemptPtr>& attempts, size_t log_lines,
                    JsonWriter& json) {
  json.key("compared").open_list();
  for (const ledger::AttemptPtr& attempt : attempts) {
    json.open_object();
    json.key("facts").open_object();
    for (const Fact& fact : facts_of(*attempt)) {
      write_text(json, fact.name, fact.value);
    }
    json.close_object();
    json.strings("log", last_log_lines(*attempt, log_lines));
    json.close_object();
  }
  json.close_list();
}

}  // namespace windlass::explain
