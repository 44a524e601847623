#include "api/job/rule_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/codec/json/json_value.h"
#include "api/field_error.h"
#include "api/job/validation/validate_job_spec.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {

Result<RuleNames> parse_rule_names(std::string_view annotation, const batch::v1::Job& job) {
  const auto bad = [](std::string_view why) {
    return fail(bad_request(fmt::format("annotation {}: {}", kFailureRuleNamesKey, why)));
  };
  auto tree = parse_json_value(annotation);
  if (!tree || !tree->value.is_array()) {
    return bad("is not a JSON list of names");
  }
  batch::v1::PodFailurePolicy policy = job.spec().pod_failure_policy();
  if (tree->value.items.size() != static_cast<size_t>(policy.rules_size())) {
    return bad(
        fmt::format("has {} entries for {} rules", tree->value.items.size(), policy.rules_size()));
  }
  RuleNames names;
  for (int i = 0; i < policy.rules_size(); ++i) {
    const JsonValue& item = tree->value.items[static_cast<size_t>(i)];
    if (!item.is_string() && !item.is_null()) {
      return bad("has an entry that is neither a name nor null");
    }
    policy.mutable_rules(i)->clear_name();
    names.push_back(item.is_string() ? std::optional(item.text) : std::nullopt);
    if (item.is_string()) {
      policy.mutable_rules(i)->set_name(item.text);
    }
  }
  FieldErrors errors;
  validate_rule_names(errors, FieldPath("spec").child("podFailurePolicy").child("rules"), policy);
  if (!errors.empty()) {
    return bad("has a name that no rule may have");
  }
  return names;
}

RuleNames effective_rule_names(const batch::v1::Job& job) {
  RuleNames names;
  bool named = false;
  for (const auto& rule : job.spec().pod_failure_policy().rules()) {
    names.push_back(rule.has_name() ? std::optional(rule.name()) : std::nullopt);
    named = named || rule.has_name();
  }
  const auto& annotations = job.metadata().annotations();
  const auto found = annotations.find(std::string(kFailureRuleNamesKey));
  if (named || found == annotations.end()) {
    return names;
  }
  auto parsed = parse_rule_names(found->second, job);
  return parsed ? *std::move(parsed) : names;
}

}  // namespace windlass::api
