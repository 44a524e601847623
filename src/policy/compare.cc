#include <fmt/format.h>

#include "engine/policy/failure_policy.h"
#include "policy/case_file.h"

namespace windlass::policy {
namespace {

constexpr std::string_view kNone = "none";

std::string rule_got(const Outlook& outlook) {
  if (outlook.judgement.rule < 0) {
    return std::string(kNone);
  }
  const std::string index = std::to_string(outlook.judgement.rule);
  return outlook.rule_name.empty() ? index : fmt::format("{} ({})", index, outlook.rule_name);
}

bool is_rule(const std::string& expected, const Outlook& outlook) {
  if (outlook.judgement.rule < 0) {
    return expected == kNone;
  }
  return expected == std::to_string(outlook.judgement.rule) ||
         (!outlook.rule_name.empty() && expected == outlook.rule_name);
}

std::string action_got(const Outlook& outlook) {
  const std::string_view name = engine::action_name(outlook.judgement.action);
  return std::string(name.empty() ? kNone : name);
}

std::string ends_text(int failures) {
  return failures == 0 ? "never" : std::to_string(failures);
}

std::string ends_got(const Outlook& outlook) {
  const Repeat& repeat = outlook.repeat;
  if (repeat.ended) {
    return std::to_string(repeat.failures);
  }
  if (outlook.outcome == FailureOutcome::succeeds) {
    return "(not a failure)";
  }
  return repeat.counts ? fmt::format("more than {}", repeat.failures) : "never";
}

bool ends_as(int expected, const Outlook& outlook) {
  return expected == 0 ? ends_got(outlook) == "never"
                       : outlook.repeat.ended && outlook.repeat.failures == expected;
}

}  // namespace

std::vector<Mismatch> compare(const Expectation& expect, const Outlook& outlook) {
  std::vector<Mismatch> found;
  const auto check = [&](bool same, const char* field, std::string expected, std::string got) {
    if (!same) {
      found.push_back({field, std::move(expected), std::move(got)});
    }
  };
  if (expect.rule) {
    check(is_rule(*expect.rule, outlook), "rule", *expect.rule, rule_got(outlook));
  }
  if (expect.action) {
    check(*expect.action == action_got(outlook), "action", *expect.action, action_got(outlook));
  }
  if (expect.outcome) {
    const std::string got(outcome_name(outlook.outcome));
    check(*expect.outcome == got, "outcome", *expect.outcome, got);
  }
  if (expect.reason) {
    check(*expect.reason == outlook.reason, "reason", *expect.reason, outlook.reason);
  }
  if (expect.message) {
    check(outlook.message.find(*expect.message) != std::string::npos, "message", *expect.message,
          outlook.message);
  }
  if (expect.counted) {
    check(*expect.counted == outlook.counted, "counted", *expect.counted ? "true" : "false",
          outlook.counted ? "true" : "false");
  }
  if (expect.retry_after) {
    check(outlook.retry_after == expect.retry_after, "retryAfter",
          format_duration(*expect.retry_after),
          outlook.retry_after ? format_duration(*outlook.retry_after) : std::string(kNone));
  }
  if (expect.ends_after) {
    check(ends_as(*expect.ends_after, outlook), "endsAfter", ends_text(*expect.ends_after),
          ends_got(outlook));
  }
  return found;
}

}  // namespace windlass::policy
