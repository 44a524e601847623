#include "ledger/attempt_facts.h"

#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {
namespace {

using api::ledger::v1::Attempt;
using api::ledger::v1::AttemptContainer;

bool is_or_any(const std::string& wanted, const std::string& value) {
  return wanted.empty() || wanted == value;
}

bool is_in_time(const AttemptFilter& filter, int64_t at) {
  return (!filter.since || at >= unix_seconds(*filter.since)) &&
         (!filter.until || at < unix_seconds(*filter.until));
}

}  // namespace

int64_t time_of(const Attempt& attempt) {
  const api::meta::v1::Time* latest = &attempt.metadata().creation_timestamp();
  if (attempt.has_created_at()) {
    latest = &attempt.created_at();
  }
  if (attempt.has_scheduled_at()) {
    latest = &attempt.scheduled_at();
  }
  if (attempt.has_started_at()) {
    latest = &attempt.started_at();
  }
  if (attempt.has_ended_at()) {
    latest = &attempt.ended_at();
  }
  return unix_seconds(time_from_unix(latest->seconds()));
}

std::optional<int32_t> exit_code_of(const Attempt& attempt) {
  std::optional<int32_t> code;
  for (const AttemptContainer& container : attempt.containers()) {
    if (!container.has_exit_code()) {
      continue;
    }
    if (!attempt.deciding_container().empty()) {
      if (container.name() == attempt.deciding_container()) {
        return container.exit_code();
      }
    } else if (!code || (*code == 0 && container.exit_code() != 0)) {
      code = container.exit_code();
    }
  }
  return code;
}

std::string reason_of(const Attempt& attempt) {
  if (attempt.has_disruption()) {
    return attempt.disruption().reason();
  }
  if (!attempt.reason().empty()) {
    return attempt.reason();
  }
  std::string reason;
  for (const AttemptContainer& container : attempt.containers()) {
    if (container.name() == attempt.deciding_container()) {
      return container.reason();
    }
    if (reason.empty() && container.exit_code() != 0) {
      reason = container.reason();
    }
  }
  return reason;
}

std::string rule_of(const Attempt& attempt) {
  const auto& verdict = attempt.verdict();
  if (!verdict.rule_name().empty()) {
    return verdict.rule_name();
  }
  return verdict.has_rule() ? std::to_string(verdict.rule()) : "";
}

bool matches(const AttemptFilter& filter, const Attempt& attempt) {
  const auto& verdict = attempt.verdict();
  return is_or_any(filter.ns, attempt.metadata().namespace_()) &&
         is_or_any(filter.pod_uid, attempt.metadata().name()) &&
         is_or_any(filter.job, attempt.job().name()) &&
         is_or_any(filter.job_uid, attempt.job().uid()) &&
         (!filter.indexes || (attempt.has_index() && filter.indexes->contains(attempt.index()))) &&
         (!filter.rule || (verdict.has_rule() && verdict.rule() == *filter.rule)) &&
         is_or_any(filter.rule_name, verdict.rule_name()) &&
         (!filter.exit_code || exit_code_of(attempt) == filter.exit_code) &&
         is_or_any(filter.node, attempt.node_name()) &&
         is_or_any(filter.counted, verdict.counted()) && is_in_time(filter, time_of(attempt));
}

}  // namespace windlass::ledger
