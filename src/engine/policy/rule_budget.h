// Budgets and delays of single rules of the failure policy (annotation windlass.dev/policy;
// job-controller.md 13). RuleFailures is the memory of one rule: what of it counts, and when the
// next pod may come, are functions of it. Values only: where it is stored is record.h's business.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/policy/backoff.h"
#include "engine/types.h"

namespace windlass::engine {

// As many as the API lets a policy have.
inline constexpr int32_t kMaxFailureRules = 20;
// A budget that is counted by times cannot be larger: so many times are remembered, less one.
inline constexpr int32_t kMaxTimedBudget = static_cast<int32_t>(kMaxBackoffFailures) - 1;

struct RuleFailures {
  int64_t failures = 0;  // in all
  BackoffRecord recent;  // when the newest ended, where limits ask for it; it holds no success

  bool operator==(const RuleFailures&) const = default;
};
// By the place of the rule in the policy.
using RuleLedger = std::map<int32_t, RuleFailures>;

// The limits of a rule; null when it has none that apply: only failures that count or are ignored
// can come again.
const RuleLimits* limits_of(const JobSpec& spec, int32_t rule);

// Pods are tried again after failures of this rule by its own delay, not by the Job's.
bool has_own_backoff(const JobSpec& spec, int32_t rule);

void add_rule_failure(RuleLedger& ledger, const JobSpec& spec, int32_t rule, Time finished);
// What another record of the same Job knows: neither number gets lower (W2).
void add_rule_failures(RuleLedger& ledger, const RuleLedger& other, bool is_finer);

// When a replacement may be created, and after how many failures in a row.
struct RetryDelay {
  Time at;  // the epoch when nothing stands against it
  int64_t failures = 0;
};
// 13.3: by the delays of rules alone; the longest of them.
RetryDelay rules_delay(const JobSpec& spec, const RuleLedger& ledger,
                       std::optional<Time> last_success);

// A rule with more failures than its budget (13.4).
struct SpentBudget {
  std::string reason;  // RuleBudgetExceeded_<name or index>
  std::string message;
};
std::optional<SpentBudget> spent_budget(const JobSpec& spec, const RuleLedger& ledger,
                                        std::optional<Time> last_success, const Options& options);

}  // namespace windlass::engine
