#include "tracing/span.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/codec/wire_time.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "ledger/attempt_facts.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::tracing {
namespace {

using api::batch::v1::Job;
using api::ledger::v1::Attempt;

constexpr size_t kUuidDigits = 32;
constexpr int kKindInternal = 1;
// status.code
constexpr int kSpanOk = 1;
constexpr int kSpanError = 2;

std::string hexadecimal_id(uint64_t number) {
  return fmt::format("{:016x}", std::max<uint64_t>(number, 1));
}

// What the protocol has as nanoseconds since 1970, in quotes.
std::string unix_nanoseconds(Time time) {
  return fmt::format("{}", std::max<int64_t>(0, time.time_since_epoch().count()));
}

// Writes one span; attributes between begin() and end().
class SpanWriter {
 public:
  void begin(const std::string& trace, const std::string& id, const std::string& parent,
             std::string_view name, Time start, Time end) {
    json_.open_object().member("traceId", trace).member("spanId", id);
    if (!parent.empty()) {
      json_.member("parentSpanId", parent);
    }
    json_.member("name", name).key("kind").number(kKindInternal);
    json_.member("startTimeUnixNano", unix_nanoseconds(start));
    json_.member("endTimeUnixNano", unix_nanoseconds(std::max(start, end)));
    json_.key("attributes").open_list();
  }
  void text(std::string_view key, std::string_view value) {
    if (!value.empty()) {
      attribute(key, "stringValue").string(value).close_object().close_object();
    }
  }
  // 64 bits travel as text.
  void number(std::string_view key, int64_t value) {
    attribute(key, "intValue").string(fmt::format("{}", value)).close_object().close_object();
  }
  std::string end(int code, std::string_view message) {
    json_.close_list().key("status").open_object();
    if (code != 0) {
      json_.key("code").number(code);
    }
    if (!message.empty()) {
      json_.member("message", message);
    }
    json_.close_object().close_object();
    return std::move(text_);
  }

 private:
  JsonWriter& attribute(std::string_view key, std::string_view type) {
    return json_.open_object().member("key", key).key("value").open_object().key(type);
  }

  std::string text_;
  JsonWriter json_{text_};
};

Time start_of(const Attempt& attempt, Time end) {
  if (attempt.has_started_at()) {
    return api::time_of(attempt.started_at());
  }
  if (attempt.has_scheduled_at()) {
    return api::time_of(attempt.scheduled_at());
  }
  return attempt.has_created_at() ? api::time_of(attempt.created_at()) : end;
}

void add_names(const Attempt& attempt, SpanWriter& span) {
  span.text("k8s.namespace.name", attempt.metadata().namespace_());
  span.text("k8s.job.name", attempt.job().name());
  span.text("k8s.job.uid", attempt.job().uid());
  span.text("k8s.pod.name", attempt.pod_name());
  span.text("k8s.pod.uid", attempt.metadata().name());
  span.text("k8s.node.name", attempt.node_name());
  span.text("k8s.container.name", attempt.deciding_container());
}

void add_outcome(const Attempt& attempt, SpanWriter& span) {
  if (attempt.has_index()) {
    span.number("windlass.index", attempt.index());
  }
  span.number("windlass.attempt", attempt.number());
  span.text("windlass.phase", attempt.phase());
  span.text("windlass.counted", attempt.verdict().counted());
  span.text("windlass.rule", ledger::rule_of(attempt));
  span.text("windlass.action", attempt.verdict().action());
  span.text("windlass.reason", ledger::reason_of(attempt));
  span.text("windlass.disruption", attempt.disruption().reason());
  if (const auto code = ledger::exit_code_of(attempt)) {
    span.number("windlass.exit_code", *code);
  }
}

std::string end_text(const Attempt& attempt) {
  const std::string reason = ledger::reason_of(attempt);
  const auto code = ledger::exit_code_of(attempt);
  if (!code || *code == 0) {
    return reason;
  }
  return reason.empty() ? fmt::format("exit code {}", *code)
                        : fmt::format("{}, exit code {}", reason, *code);
}

// Complete or Failed, if it is true.
const api::batch::v1::JobCondition* last_condition(const Job& job) {
  for (const auto& condition : job.status().conditions()) {
    if (condition.status() == "True" &&
        (condition.type() == "Complete" || condition.type() == "Failed")) {
      return &condition;
    }
  }
  return nullptr;
}

}  // namespace

std::string trace_id_of(std::string_view job_uid) {
  std::string digits;
  for (const char c : job_uid) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')) {
      digits += c;
    } else if (c != '-') {
      digits.clear();
      break;
    }
  }
  const bool is_uuid =
      digits.size() == kUuidDigits && digits.find_first_not_of('0') != std::string::npos;
  return is_uuid ? digits
                 : hexadecimal_id(stable_hash(fmt::format("trace {}", job_uid))) +
                       hexadecimal_id(stable_hash(job_uid));
}

std::string job_span_id(std::string_view job_uid) {
  return hexadecimal_id(stable_hash(fmt::format("job {}", job_uid)));
}

std::string attempt_span_id(std::string_view pod_uid) {
  return hexadecimal_id(stable_hash(fmt::format("pod {}", pod_uid)));
}

std::string attempt_span(const Attempt& attempt) {
  const Time end = time_from_unix(ledger::time_of(attempt));
  SpanWriter span;
  span.begin(trace_id_of(attempt.job().uid()), attempt_span_id(attempt.metadata().name()),
             job_span_id(attempt.job().uid()), "attempt", start_of(attempt, end), end);
  add_names(attempt, span);
  add_outcome(attempt, span);
  const std::string& counted = attempt.verdict().counted();
  const bool failed = counted == "Failed" || (counted.empty() && attempt.phase() == "Failed");
  return failed ? span.end(kSpanError, end_text(attempt))
                : span.end(counted == "Succeeded" ? kSpanOk : 0, "");
}

std::string job_span(const api::Message& message, const Time* gone_at) {
  const auto& job = static_cast<const Job&>(message);
  const auto& metadata = job.metadata();
  const auto* condition = last_condition(job);
  const Time start = api::time_of(job.status().has_start_time() ? job.status().start_time()
                                                                : metadata.creation_timestamp());
  Time end = gone_at != nullptr ? *gone_at : start;
  if (condition != nullptr) {
    end = api::time_of(condition->last_transition_time());
  }
  SpanWriter span;
  span.begin(trace_id_of(metadata.uid()), job_span_id(metadata.uid()), "", "job", start, end);
  span.text("k8s.namespace.name", metadata.namespace_());
  span.text("k8s.job.name", metadata.name());
  span.text("k8s.job.uid", metadata.uid());
  span.number("windlass.succeeded", job.status().succeeded());
  span.number("windlass.failed", job.status().failed());
  span.text("windlass.failed_indexes", job.status().failed_indexes());
  if (condition == nullptr) {
    span.text("windlass.outcome", "Deleted");
    return span.end(kSpanError, "the Job was deleted before it finished");
  }
  span.text("windlass.outcome", condition->type());
  span.text("windlass.reason", condition->reason());
  return condition->type() == "Complete" ? span.end(kSpanOk, "")
                                         : span.end(kSpanError, condition->message());
}

std::string export_request(const std::vector<std::string>& spans, std::string_view version) {
  std::string text;
  JsonWriter json(text);
  json.open_object().key("resourceSpans").open_list().open_object();
  json.key("resource").open_object().key("attributes").open_list();
  json.open_object().member("key", "service.name");
  json.key("value").open_object().member("stringValue", "windlass").close_object().close_object();
  json.open_object().member("key", "service.version");
  json.key("value").open_object().member("stringValue", version).close_object().close_object();
  json.close_list().close_object();
  json.key("scopeSpans").open_list().open_object();
  json.key("scope").open_object().member("name", "windlass.dev/jobs").close_object();
  json.key("spans").open_list();
  for (const std::string& span : spans) {
    json.raw(span);
  }
  json.close_list().close_object().close_list();
  json.close_object().close_list().close_object();
  return text;
}

}  // namespace windlass::tracing
