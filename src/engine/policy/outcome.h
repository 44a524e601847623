// Whether and how the Job ends: one pure function of the state and the time, with the precedence of
// job-controller.md 2.39 (stored success, stored failure, FailJob, backoffLimit, deadline, failed
// indexes, success policy, completions).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "engine/policy/rule_budget.h"
#include "engine/state/state.h"

namespace windlass::engine {

struct JobOutcome {
  enum class Kind : uint8_t { none, failure, success };
  Kind kind = Kind::none;
  bool stored = false;  // FailureTarget or SuccessCriteriaMet is already in the stored status
  std::string reason;
  std::string message;

  bool exists() const { return kind != Kind::none; }
};

JobOutcome evaluate_outcome(const State& state, Time now);

// What rules with limits have used: as it is stored, and what the next status will tell of (13.2).
struct RuleUsage {
  RuleLedger ledger;
  std::optional<Time> last_success;
};
RuleUsage rule_usage(const State& state);

// When the active deadline passes; none if there is no deadline or the Job is suspended.
std::optional<Time> deadline_at(const State& state, Time now);
// Suspended=True is stored, but the Job is no longer suspended.
bool is_resuming(const State& state);

}  // namespace windlass::engine
