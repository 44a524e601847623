#include "explain/headline.h"

#include <fmt/format.h>

namespace windlass::explain {
namespace {

using JobState = Explanation::State;

std::string rule_title(const RuleRef& rule) {
  return rule.name.empty() ? fmt::format("rule {}", rule.rule) : "rule " + rule.name;
}

// `index 7 ended with exit code 42 (container main)`
std::string end_of(const PodAccount& pod) {
  std::string text = pod.index ? fmt::format("index {}", *pod.index) : "pod " + pod.name;
  if (!pod.condition.empty()) {
    return text + " got the condition " + pod.condition;
  }
  if (!pod.exit_code) {
    return text + (pod.text.empty() ? " failed" : ": " + pod.text);
  }
  text += fmt::format(" ended with exit code {}", *pod.exit_code);
  return pod.container.empty() ? text : text + fmt::format(" (container {})", pod.container);
}

std::string failure(const Explanation& explanation) {
  if (!explanation.decider) {
    return explanation.reason.empty() ? "no reason is known" : explanation.reason;
  }
  const PodAccount& pod = *explanation.decider;
  std::string text = end_of(pod);
  if (pod.rule.rule >= 0) {
    return text + fmt::format("; {} says {}", rule_title(pod.rule), pod.rule.action);
  }
  return explanation.reason.empty() ? text : fmt::format("{}; last, {}", explanation.reason, text);
}

std::string progress(const Explanation& explanation) {
  const Counts& counts = explanation.counts;
  const std::string of =
      counts.completions ? fmt::format(" of {}", *counts.completions) : std::string();
  std::string text = fmt::format("{}{} succeeded, {} active", counts.succeeded, of, counts.active);
  for (const Wait& wait : explanation.waits) {
    if (wait.kind != Wait::Kind::running && wait.kind != Wait::Kind::controller) {
      return text + "; " + wait.text;
    }
  }
  return text;
}

}  // namespace

std::string_view state_name(JobState state) {
  switch (state) {
    case JobState::complete:
      return "Complete";
    case JobState::failed:
      return "Failed";
    case JobState::completing:
      return "Completing";
    case JobState::failing:
      return "Failing";
    case JobState::unfinished:
      break;
  }
  return "Unfinished";
}

std::string headline(const Explanation& explanation) {
  switch (explanation.state) {
    case JobState::complete:
    case JobState::completing:
      return fmt::format("{}: {}", state_name(explanation.state), progress(explanation));
    case JobState::failed:
    case JobState::failing:
      return fmt::format("{}: {}", state_name(explanation.state), failure(explanation));
    case JobState::unfinished:
      break;
  }
  return "Not finished: " + progress(explanation);
}

}  // namespace windlass::explain
