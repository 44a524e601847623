#include "ledger/causes/cause_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/json_writer.h"
#include "base/plain_line.h"
#include "base/short_indexes.h"
#include "base/utf8.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {
namespace {

constexpr size_t kIntervalsInSummary = 3;
constexpr size_t kIntervalsInBlock = 8;
constexpr size_t kMaxNameBytes = 253;
constexpr std::string_view kDots = "...";
// The first of the scripts whose characters take two columns.
constexpr char32_t kFirstWideCharacter = 0x1100;

std::string counted_words(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Where a line of `columns` ends, after whole characters; the size of a shorter one.
size_t bytes_in_columns(std::string_view text, size_t columns) {
  size_t at = 0;
  while (at < text.size()) {
    const Utf8Character character = decode_utf8(text, at);
    const size_t width = character.value < kFirstWideCharacter ? 1 : 2;
    if (width > columns) {
      return at;
    }
    columns -= width;
    at += std::max<size_t>(character.length, 1);
  }
  return at;
}

std::string fitted(std::string_view text, size_t columns) {
  if (bytes_in_columns(text, columns) == text.size()) {
    return std::string(text);
  }
  const size_t room = columns > kDots.size() ? columns - kDots.size() : 0;
  return std::string(text.substr(0, bytes_in_columns(text, room))) + std::string(kDots);
}

std::string index_words(const IndexSet& indexes, size_t most) {
  return fmt::format("{} {}", indexes.size() == 1 ? "index" : "indexes",
                     short_indexes(indexes, most));
}

std::string time_words(const FailureCause& cause) {
  if (!cause.first) {
    return "";
  }
  const std::string first = format_rfc3339(*cause.first);
  return cause.first == cause.last
             ? "at " + first
             : fmt::format("between {} and {}", first, format_rfc3339(*cause.last));
}

// `node-7: 340 of 360, with 5% of all attempts`
std::string node_words(const HeavyNode& node) {
  const int64_t percent = node.attempts * 100 / node.attempts_in_all;
  return fmt::format("{}: {} of {}, with {}% of all attempts", plain_line(node.node, kMaxNameBytes),
                     node.failures, node.failures_in_all, percent);
}

std::string rule_words(const CauseKey& key) {
  if (!key.rule) {
    return "";
  }
  const std::string name = key.rule_name.empty() ? "" : fmt::format(" ({})", key.rule_name);
  return fmt::format("rule {}{}: {}", *key.rule, name, key.action);
}

// The lines below the title.
std::vector<std::string> details_of(const CauseGroups& groups, const FailureCause& cause) {
  std::vector<std::string> lines;
  if (!cause.indexes.empty()) {
    lines.push_back(index_words(cause.indexes, kIntervalsInBlock));
  }
  lines.push_back(time_words(cause));
  for (const HeavyNode& node : groups.heavy_nodes(cause)) {
    lines.push_back(node_words(node));
  }
  lines.push_back(rule_words(cause.key));
  if (cause.sample_line != cause.key.line && !cause.sample_line.empty()) {
    lines.push_back("last: " + cause.sample_line);
  }
  lines.erase(std::remove(lines.begin(), lines.end(), ""), lines.end());
  return lines;
}

// Of the causes beyond the first `shown`.
int64_t failures_behind(const std::vector<const FailureCause*>& causes, size_t shown) {
  int64_t failures = 0;
  for (size_t i = shown; i < causes.size(); ++i) {
    failures += causes[i]->count;
  }
  return failures;
}

std::string_view end_name(EndKind end) {
  switch (end) {
    case EndKind::disruption:
      return "Disruption";
    case EndKind::out_of_memory:
      return "OutOfMemory";
    case EndKind::pod_reason:
      return "PodReason";
    case EndKind::container_reason:
      return "ContainerReason";
    case EndKind::exit_code:
      return "ExitCode";
    case EndKind::signal:
      return "Signal";
    case EndKind::vanished:
      return "Vanished";
    case EndKind::unknown:
      break;
  }
  return "Unknown";
}

void add_text(JsonWriter& json, std::string_view key, std::string_view text) {
  if (!text.empty()) {
    json.member(key, text);
  }
}

void write_key(const CauseKey& key, JsonWriter& json) {
  json.member("end", end_name(key.end));
  json.member("counted", key.ignored ? "Ignored" : "Failed");
  if (key.rule) {
    json.key("rule").number(*key.rule);
  }
  add_text(json, "ruleName", key.rule_name);
  add_text(json, "action", key.action);
  add_text(json, "container", key.container);
  if (key.exit_code) {
    json.key("exitCode").number(*key.exit_code);
  }
  if (key.signal != 0) {
    json.key("signal").number(key.signal);
  }
  add_text(json, "reason", key.reason);
  add_text(json, "line", key.line);
  if (key.other_lines) {
    json.key("otherLines").boolean(true);
  }
}

void write_sample(const FailureCause& cause, JsonWriter& json) {
  const auto& attempt = *cause.sample;
  json.key("sample").open_object();
  json.member("pod", attempt.pod_name());
  json.member("podUID", attempt.metadata().name());
  add_text(json, "node", attempt.node_name());
  if (attempt.has_index()) {
    json.key("index").number(attempt.index());
  }
  json.key("attempt").number(attempt.number());
  add_text(json, "line", cause.sample_line);
  json.close_object();
}

void write_nodes(const CauseGroups& groups, const FailureCause& cause, JsonWriter& json) {
  json.key("nodes").open_object();
  for (const auto& [node, count] : cause.nodes) {
    json.key(node).number(count);
  }
  json.close_object();
  json.key("heavyNodes").open_list();
  for (const HeavyNode& node : groups.heavy_nodes(cause)) {
    json.open_object();
    json.member("node", node.node);
    json.key("failures").number(node.failures);
    json.key("attempts").number(node.attempts);
    json.key("failuresOnAllNodes").number(node.failures_in_all);
    json.key("attemptsOnAllNodes").number(node.attempts_in_all);
    json.close_object();
  }
  json.close_list();
}

void write_cause(const CauseGroups& groups, const FailureCause& cause, JsonWriter& json) {
  json.open_object();
  json.member("id", cause.id);
  json.member("title", cause.full_title());
  json.key("failures").number(cause.count);
  write_key(cause.key, json);
  if (!cause.indexes.empty()) {
    json.member("indexes", cause.indexes.to_string());
  }
  if (cause.first) {
    json.member("first", format_rfc3339(*cause.first));
    json.member("last", format_rfc3339(*cause.last));
  }
  write_nodes(groups, cause, json);
  write_sample(cause, json);
  json.close_object();
}

}  // namespace

std::string cause_phrase(const FailureCause& cause) {
  std::vector<std::string> facts;
  if (cause.key.ignored) {
    facts.push_back(fmt::format("ignored, {}", cause.count));
  } else if (cause.count != cause.indexes.size()) {
    facts.push_back(std::to_string(cause.count));
  }
  if (!cause.indexes.empty() && !cause.key.ignored) {
    facts.push_back(index_words(cause.indexes, kIntervalsInSummary));
  }
  return fmt::format("{} ({})", cause.title, fmt::join(facts, ", "));
}

std::string causes_summary(const CauseGroups& groups) {
  const auto causes = groups.causes();
  if (causes.empty()) {
    return "";
  }
  const size_t shown = std::min(causes.size(), kCausesInSummary);
  std::vector<std::string> phrases;
  for (size_t i = 0; i < shown; ++i) {
    phrases.push_back(cause_phrase(*causes[i]));
  }
  if (shown < causes.size()) {
    phrases.push_back(fmt::format(
        "{} ({})", counted_words(static_cast<int64_t>(causes.size() - shown), "more cause"),
        failures_behind(causes, shown)));
  }
  return fmt::format("{}, {}: {}", counted_words(groups.failures(), "failure"),
                     counted_words(static_cast<int64_t>(causes.size()), "cause"),
                     fmt::join(phrases, ", "));
}

std::string cause_block(const CauseGroups& groups, const FailureCause& cause, size_t place,
                        size_t columns) {
  const std::string head = fmt::format("  {:>2}  {:>6}  ", place, cause.count);
  std::string text = fitted(head + cause.full_title(), columns) + "\n";
  for (const std::string& line : details_of(groups, cause)) {
    text += fitted(std::string(head.size(), ' ') + line, columns) + "\n";
  }
  return text;
}

std::string causes_block(const CauseGroups& groups, size_t columns, size_t most) {
  const auto causes = groups.causes();
  if (causes.empty()) {
    return "";
  }
  std::string text = fmt::format("{}, {}\n", counted_words(groups.failures(), "failure"),
                                 counted_words(static_cast<int64_t>(causes.size()), "cause"));
  const size_t shown = std::min(causes.size(), most);
  for (size_t i = 0; i < shown; ++i) {
    text += cause_block(groups, *causes[i], i + 1, columns);
  }
  if (shown < causes.size()) {
    text += fmt::format("      {:>6}  {}\n", failures_behind(causes, shown),
                        counted_words(static_cast<int64_t>(causes.size() - shown), "more cause"));
  }
  return text;
}

void write_causes(const CauseGroups& groups, JsonWriter& json) {
  json.open_list();
  for (const FailureCause* cause : groups.causes()) {
    write_cause(groups, *cause, json);
  }
  json.close_list();
}

}  // namespace windlass::ledger
