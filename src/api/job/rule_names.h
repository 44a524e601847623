// Names of pod failure policy rules for API servers that drop `rules[].name` (KEP-4443 is ours
// alone): a Job annotation holds them as a JSON list, one entry per rule, null for a rule without.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::api {

inline constexpr std::string_view kFailureRuleNamesKey = "windlass.dev/failure-rule-names";

using RuleNames = std::vector<std::optional<std::string>>;

// What the annotation says, if it says something valid for these rules: as many entries as rules,
// names as validate_rule_names() wants them.
Result<RuleNames> parse_rule_names(std::string_view annotation, const batch::v1::Job& job);

// The names that count: those in the rules; where none is there, those of a valid annotation.
RuleNames effective_rule_names(const batch::v1::Job& job);

}  // namespace windlass::api
