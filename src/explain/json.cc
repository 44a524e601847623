// as_json.
#include "base/json_writer.h"
#include "explain/headline.h"
#include "explain/print.h"

namespace windlass::explain {
namespace {

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

void add_text_if(JsonWriter& json, std::string_view key, std::string_view text) {
  if (!text.empty()) {
    json.member(key, text);
  }
}

void add_time_if(JsonWriter& json, std::string_view key, const std::optional<Time>& time) {
  if (time) {
    json.member(key, format_rfc3339(*time));
  }
}

void add_rule(JsonWriter& json, const RuleRef& rule) {
  if (rule.rule >= 0) {
    json.key("rule").number(rule.rule);
    add_text_if(json, "ruleName", rule.name);
  }
  add_text_if(json, "action", rule.action);
}

void write_pod(const PodAccount& pod, JsonWriter& json) {
  json.open_object();
  json.member("pod", pod.name);
  json.key("present").boolean(pod.present);
  add_text_if(json, "node", pod.node);
  add_text_if(json, "phase", pod.phase);
  if (pod.index) {
    json.key("index").number(*pod.index);
  }
  if (pod.attempt > 0) {
    json.key("attempt").number(pod.attempt);
  }
  add_text_if(json, "container", pod.container);
  if (pod.exit_code) {
    json.key("exitCode").number(*pod.exit_code);
  }
  add_text_if(json, "condition", pod.condition);
  add_rule(json, pod.rule);
  add_text_if(json, "text", pod.text);
  add_time_if(json, "ended", pod.ended);
  json.close_object();
}

void write_counts(const Counts& counts, JsonWriter& json) {
  json.open_object();
  json.key("succeeded").number(counts.succeeded);
  if (counts.completions) {
    json.key("completions").number(*counts.completions);
  }
  json.key("failed").number(counts.failed);
  json.key("active").number(counts.active);
  json.key("terminating").number(counts.terminating);
  add_text_if(json, "completedIndexes", counts.completed_indexes);
  add_text_if(json, "failedIndexes", counts.failed_indexes);
  json.close_object();
}

void write_rule_count(const RuleCount& count, JsonWriter& json) {
  json.open_object();
  add_rule(json, count.rule);
  json.key("pods").number(count.pods);
  json.close_object();
}

void write_wait(const Wait& wait, JsonWriter& json) {
  json.open_object();
  json.member("kind", kind_name(wait.kind));
  json.member("text", wait.text);
  add_text_if(json, "pod", wait.pod);
  add_time_if(json, "until", wait.until);
  json.close_object();
}

template <class Items, class Write>
void write_list(std::string_view key, const Items& items, Write write, JsonWriter& json) {
  json.key(key).open_list();
  for (const auto& item : items) {
    write(item, json);
  }
  json.close_list();
}

void write_index(const IndexAccount& index, JsonWriter& json) {
  json.open_object();
  json.key("index").number(index.index);
  json.member("state", index.state);
  json.key("failures").number(index.failures);
  json.key("ignoredFailures").number(index.ignored_failures);
  if (index.limit) {
    json.key("backoffLimitPerIndex").number(*index.limit);
  }
  add_time_if(json, "retryAt", index.retry_at);
  write_list("pods", index.pods, write_pod, json);
  json.close_object();
}

}  // namespace

std::string as_json(const Explanation& explanation,
                    const std::function<void(JsonWriter&)>& add_members) {
  std::string text;
  JsonWriter json(text);
  json.open_object();
  json.member("job", explanation.name);
  json.member("namespace", explanation.ns);
  json.member("state", state_name(explanation.state));
  add_text_if(json, "reason", explanation.reason);
  add_text_if(json, "message", explanation.message);
  add_time_if(json, "since", explanation.since);
  json.key("counts");
  write_counts(explanation.counts, json);
  if (explanation.decider) {
    json.key("decidedBy");
    write_pod(*explanation.decider, json);
  }
  write_list("rules", explanation.rules, write_rule_count, json);
  write_list("waits", explanation.waits, write_wait, json);
  if (explanation.index) {
    json.key("index");
    write_index(*explanation.index, json);
  }
  if (!explanation.log.empty()) {
    json.strings("log", explanation.log);
  }
  add_text_if(json, "logError", explanation.log_error);
  if (add_members) {
    add_members(json);
  }
  json.close_object();
  return text + "\n";
}

}  // namespace windlass::explain
