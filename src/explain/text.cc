// as_text.
#include <fmt/format.h>

#include <algorithm>

#include "explain/index_text.h"
#include "explain/print.h"
#include "policy/report.h"

namespace windlass::explain {
namespace {

using State = Explanation::State;

std::string_view state_words(State state) {
  switch (state) {
    case State::complete:
      return "Complete";
    case State::failed:
      return "Failed";
    case State::completing:
      return "will be Complete";
    case State::failing:
      return "will be Failed";
    case State::unfinished:
      break;
  }
  return "not finished";
}

std::string ago(const std::optional<Time>& time, Time now) {
  return time ? fmt::format(" {} ago", human_duration(std::max(Duration::zero(), now - *time)))
              : "";
}

std::string rule_words(const RuleRef& rule) {
  if (rule.rule < 0) {
    return "no rule";
  }
  return rule.name.empty() ? fmt::format("rule {}", rule.rule)
                           : fmt::format("rule {} ({})", rule.rule, rule.name);
}

std::string pod_line(const PodAccount& pod) {
  std::string text = pod.name;
  if (pod.index) {
    text += fmt::format(", index {}", *pod.index);
  }
  if (pod.attempt > 0) {
    text += fmt::format(", attempt {}", pod.attempt);
  }
  if (!pod.node.empty()) {
    text += ", on " + pod.node;
  }
  return pod.present ? text : text + ", deleted";
}

void add_decider(const PodAccount& pod, Time now, std::string& text) {
  std::vector<std::vector<std::string>> rows = {{"pod", pod_line(pod)}};
  if (!pod.container.empty() && pod.exit_code) {
    rows.push_back({"container", fmt::format("{}, exit code {}", pod.container, *pod.exit_code)});
  }
  if (!pod.condition.empty()) {
    rows.push_back({"condition", pod.condition});
  }
  if (pod.rule.rule >= 0) {
    rows.push_back({"rule", fmt::format("{}: {}", rule_words(pod.rule), pod.rule.action)});
  }
  if (!pod.text.empty()) {
    rows.push_back({"says", pod.text});
  }
  if (pod.ended) {
    rows.push_back({"ended", format_rfc3339(*pod.ended) + ago(pod.ended, now)});
  }
  text += "\nDecided by\n" + policy::columns(rows, "  ");
}

std::string counts_line(const Counts& counts) {
  std::string text = counts.completions
                         ? fmt::format("{} of {} succeeded", counts.succeeded, *counts.completions)
                         : fmt::format("{} succeeded", counts.succeeded);
  text += fmt::format(", {} failed, {} active, {} terminating\n", counts.failed, counts.active,
                      counts.terminating);
  if (!counts.completed_indexes.empty()) {
    text += fmt::format("  completed indexes  {}\n", short_indexes(counts.completed_indexes));
  }
  if (!counts.failed_indexes.empty()) {
    text += fmt::format("  failed indexes     {}\n", short_indexes(counts.failed_indexes));
  }
  return text;
}

void add_rules(const std::vector<RuleCount>& rules, std::string& text) {
  if (rules.empty()) {
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const RuleCount& each : rules) {
    rows.push_back({rule_words(each.rule), each.rule.action, fmt::format("{}", each.pods)});
  }
  text += "\nFailed pods that still exist, by rule\n" + policy::columns(rows, "  ");
}

void add_waits(const std::vector<Wait>& waits, Time now, std::string& text) {
  if (waits.empty()) {
    return;
  }
  text += "\nWaiting for\n";
  for (const Wait& wait : waits) {
    text += "  " + wait.text;
    if (wait.until) {
      text += fmt::format(", until {}", format_rfc3339(*wait.until));
      if (*wait.until > now) {
        text += fmt::format(" (in {})", human_duration(*wait.until - now));
      }
    }
    text += "\n";
  }
}

// `story` tells of all attempts that have ended.
void add_index(const IndexAccount& index, const std::string& story, Time now, std::string& text) {
  text += fmt::format("\nIndex {}: {}", index.index, index.state);
  if (index.limit) {
    text += fmt::format("; at most {} {}", *index.limit + 1,
                        *index.limit == 0 ? "attempt" : "attempts, not counting ignored failures");
  }
  text += "\n";
  std::vector<std::vector<std::string>> rows;
  for (const PodAccount& pod : index.pods) {
    if (!story.empty() && (pod.phase == "Failed" || pod.phase == "Succeeded")) {
      continue;
    }
    const std::string rule =
        pod.phase == "Failed" ? fmt::format("{}: {}", rule_words(pod.rule), pod.rule.action) : "";
    rows.push_back({fmt::format("attempt {}", pod.attempt), pod.name,
                    pod.phase + ago(pod.ended, now), pod.text, rule});
  }
  text += story + policy::columns(rows, "  ");
}

void add_log(const Explanation& explanation, std::string& text) {
  if (!explanation.log_error.empty()) {
    text += fmt::format("\nCannot read its log: {}\n", explanation.log_error);
  } else if (!explanation.log.empty()) {
    text += "\nLast lines of its log\n";
    for (const std::string& line : explanation.log) {
      text += "  " + line + "\n";
    }
  }
}

}  // namespace

std::string as_text(const Explanation& explanation, Time now) {
  std::string text =
      fmt::format("job.batch/{} in namespace {}: {}{}\n", explanation.name, explanation.ns,
                  state_words(explanation.state), ago(explanation.since, now));
  if (!explanation.reason.empty() || !explanation.message.empty()) {
    text += fmt::format("  {}: {}\n", explanation.reason, explanation.message);
  }
  text += "  " + counts_line(explanation.counts);
  if (explanation.index) {
    add_index(*explanation.index, explanation.index_story, now, text);
  } else {
    if (explanation.decider) {
      add_decider(*explanation.decider, now, text);
    }
    add_rules(explanation.rules, text);
    text += explanation.causes;
  }
  add_waits(explanation.waits, now, text);
  add_log(explanation, text);
  return text;
}

}  // namespace windlass::explain
