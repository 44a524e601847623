// as_json.
#include "api/codec/json_text.h"
#include "explain/print.h"
#include "policy/json_object.h"

namespace windlass::explain {
namespace {

using policy::JsonObject;
using JobState = Explanation::State;

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

std::string_view kind_name(Wait::Kind kind) {
  switch (kind) {
    case Wait::Kind::suspended:
      return "Suspended";
    case Wait::Kind::other_manager:
      return "OtherManager";
    case Wait::Kind::deletion:
      return "Deletion";
    case Wait::Kind::ending:
      return "PodsEnding";
    case Wait::Kind::backoff:
      return "BackOff";
    case Wait::Kind::pod_pending:
      return "PodPending";
    case Wait::Kind::replacement:
      return "PodTerminating";
    case Wait::Kind::create_failed:
      return "CreateFailed";
    case Wait::Kind::running:
      return "PodsRunning";
    case Wait::Kind::controller:
      break;
  }
  return "Controller";
}

void add_text_if(JsonObject& object, std::string_view key, std::string_view text) {
  if (!text.empty()) {
    object.add_text(key, text);
  }
}

void add_time_if(JsonObject& object, std::string_view key, const std::optional<Time>& time) {
  if (time) {
    object.add_text(key, format_rfc3339(*time));
  }
}

void add_rule(JsonObject& object, const RuleRef& rule) {
  if (rule.rule >= 0) {
    object.add_number("rule", rule.rule);
    add_text_if(object, "ruleName", rule.name);
  }
  add_text_if(object, "action", rule.action);
}

std::string pod_json(const PodAccount& pod) {
  JsonObject object;
  object.add_text("pod", pod.name);
  object.add_bool("present", pod.present);
  add_text_if(object, "node", pod.node);
  add_text_if(object, "phase", pod.phase);
  if (pod.index) {
    object.add_number("index", *pod.index);
  }
  if (pod.attempt > 0) {
    object.add_number("attempt", pod.attempt);
  }
  add_text_if(object, "container", pod.container);
  if (pod.exit_code) {
    object.add_number("exitCode", *pod.exit_code);
  }
  add_text_if(object, "condition", pod.condition);
  add_rule(object, pod.rule);
  add_text_if(object, "text", pod.text);
  add_time_if(object, "ended", pod.ended);
  return object.text();
}

std::string counts_json(const Counts& counts) {
  JsonObject object;
  object.add_number("succeeded", counts.succeeded);
  if (counts.completions) {
    object.add_number("completions", *counts.completions);
  }
  object.add_number("failed", counts.failed);
  object.add_number("active", counts.active);
  object.add_number("terminating", counts.terminating);
  add_text_if(object, "completedIndexes", counts.completed_indexes);
  add_text_if(object, "failedIndexes", counts.failed_indexes);
  return object.text();
}

std::string rule_count_json(const RuleCount& count) {
  JsonObject object;
  add_rule(object, count.rule);
  object.add_number("pods", count.pods);
  return object.text();
}

std::string wait_json(const Wait& wait) {
  JsonObject object;
  object.add_text("kind", kind_name(wait.kind));
  object.add_text("text", wait.text);
  add_text_if(object, "pod", wait.pod);
  add_time_if(object, "until", wait.until);
  return object.text();
}

template <class Items, class Print>
std::string list_json(const Items& items, Print print) {
  std::vector<std::string> texts;
  for (const auto& item : items) {
    texts.push_back(print(item));
  }
  return policy::json_list(texts);
}

std::string index_json(const IndexAccount& index) {
  JsonObject object;
  object.add_number("index", index.index);
  object.add_text("state", index.state);
  object.add_number("failures", index.failures);
  object.add_number("ignoredFailures", index.ignored_failures);
  if (index.limit) {
    object.add_number("backoffLimitPerIndex", *index.limit);
  }
  add_time_if(object, "retryAt", index.retry_at);
  object.add_raw("pods", list_json(index.pods, pod_json));
  return object.text();
}

std::string quoted(const std::string& text) {
  std::string json;
  api::append_json_string(text, json);
  return json;
}

}  // namespace

std::string as_json(const Explanation& explanation) {
  JsonObject object;
  object.add_text("job", explanation.name);
  object.add_text("namespace", explanation.ns);
  object.add_text("state", state_name(explanation.state));
  add_text_if(object, "reason", explanation.reason);
  add_text_if(object, "message", explanation.message);
  add_time_if(object, "since", explanation.since);
  object.add_raw("counts", counts_json(explanation.counts));
  if (explanation.decider) {
    object.add_raw("decidedBy", pod_json(*explanation.decider));
  }
  object.add_raw("rules", list_json(explanation.rules, rule_count_json));
  object.add_raw("waits", list_json(explanation.waits, wait_json));
  if (explanation.index) {
    object.add_raw("index", index_json(*explanation.index));
  }
  if (!explanation.log.empty()) {
    object.add_raw("log", list_json(explanation.log, quoted));
  }
  add_text_if(object, "logError", explanation.log_error);
  return object.text() + "\n";
}

}  // namespace windlass::explain
