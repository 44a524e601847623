#include "api/select/label_selector.h"

#include <fmt/format.h>

#include "api/names.h"
#include "api/validate_metadata.h"
#include "schema/meta/v1/selector.pb.h"

namespace windlass::api {
namespace {

Result<LabelOperator> message_operator(const std::string& name) {
  if (name == "In") {
    return LabelOperator::in;
  }
  if (name == "NotIn") {
    return LabelOperator::not_in;
  }
  if (name == "Exists") {
    return LabelOperator::exists;
  }
  if (name == "DoesNotExist") {
    return LabelOperator::does_not_exist;
  }
  return fail(
      bad_request(fmt::format("{} is not a valid label selector operator", go_quote(name))));
}

// What validate_label_selector reports in full, as one short answer.
Result<void> check_requirement(const LabelRequirement& requirement) {
  const bool takes_values = requirement.op == LabelOperator::in ||
                            requirement.op == LabelOperator::not_in ||
                            requirement.op == LabelOperator::equals;
  if (requirement.values.empty() == takes_values) {
    return fail(bad_request(fmt::format("wrong number of values for {}", requirement.key)));
  }
  if (auto problems = check_qualified_name(requirement.key); !problems.empty()) {
    return fail(bad_request(std::move(problems.front())));
  }
  for (const std::string& value : requirement.values) {
    if (auto problems = check_label_value(value); !problems.empty()) {
      return fail(bad_request(std::move(problems.front())));
    }
  }
  return {};
}

void validate_requirement(FieldErrors& errors, const FieldPath& path,
                          const meta::v1::LabelSelectorRequirement& requirement) {
  const std::string& op = requirement.operator_();
  if (op == "In" || op == "NotIn") {
    if (requirement.values().empty()) {
      errors.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values().empty()) {
      errors.forbidden(path.child("values"),
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    errors.invalid(path.child("operator"), op, "not a valid selector operator");
  }
  add_problems(errors, path.child("key"), requirement.key(),
               check_qualified_name(requirement.key()));
  for (int i = 0; i < requirement.values_size(); ++i) {
    add_problems(errors, path.child("values").index(static_cast<size_t>(i)), requirement.values(i),
                 check_label_value(requirement.values(i)));
  }
}

}  // namespace

LabelSelector LabelSelector::nothing() {
  LabelSelector selector;
  selector.nothing_ = true;
  return selector;
}

Result<LabelSelector> LabelSelector::from_message(const meta::v1::LabelSelector* message) {
  if (message == nullptr) {
    return nothing();
  }
  LabelSelector selector;
  for (const auto& [key, value] : message->match_labels()) {
    selector.requirements_.push_back({key, LabelOperator::equals, {value}});
  }
  for (const auto& expression : message->match_expressions()) {
    TRY(const LabelOperator op, message_operator(expression.operator_()));
    LabelRequirement& requirement = selector.requirements_.emplace_back();
    requirement = {expression.key(), op, {expression.values().begin(), expression.values().end()}};
    std::ranges::sort(requirement.values);
  }
  std::stable_sort(selector.requirements_.begin(), selector.requirements_.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  for (const LabelRequirement& requirement : selector.requirements_) {
    TRY_VOID(check_requirement(requirement));
  }
  selector.index_rules();
  return selector;
}

void LabelSelector::index_rules() {
  if (requirements_.size() < kManyRequirements) {
    return;
  }
  for (const LabelRequirement& requirement : requirements_) {
    if (rules_.empty() || rules_.back().key != requirement.key) {
      rules_.push_back({.key = requirement.key});
    }
    rules_.back().add(requirement);
  }
  for (KeyRule& rule : rules_) {
    std::ranges::sort(rule.excluded);
    keys_that_must_exist_ += rule.must_exist ? 1U : 0U;
  }
}

template <class Labels>
bool LabelSelector::matches_rules(const Labels& labels) const {
  if (labels.size() < keys_that_must_exist_) {
    return false;
  }
  size_t found = 0;
  for (const auto& [key, value] : labels) {
    const auto rule = std::ranges::lower_bound(rules_, key, {}, &KeyRule::key);
    if (rule == rules_.end() || rule->key != key) {
      continue;
    }
    if (!rule->matches(value)) {
      return false;
    }
    found += rule->must_exist ? 1U : 0U;
  }
  return found == keys_that_must_exist_;
}

template <class Labels>
bool LabelSelector::matches_all(const Labels& labels) const {
  if (nothing_) {
    return false;
  }
  if (!rules_.empty()) {
    return matches_rules(labels);
  }
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const auto& requirement) {
    const auto found = labels.find(requirement.key);
    return requirement.matches(found == labels.end() ? nullptr : &found->second);
  });
}

bool LabelSelector::matches(const StringMap& labels) const {
  return matches_all(labels);
}

bool LabelSelector::matches(const std::map<std::string, std::string>& labels) const {
  return matches_all(labels);
}

std::string LabelSelector::text() const {
  std::string text;
  for (const LabelRequirement& requirement : requirements_) {
    if (!text.empty()) {
      text += ',';
    }
    text += requirement.text();
  }
  return text;
}

void validate_label_selector(FieldErrors& errors, const FieldPath& path,
                             const meta::v1::LabelSelector& selector) {
  validate_labels(errors, path.child("matchLabels"), selector.match_labels());
  const FieldPath expressions = path.child("matchExpressions");
  for (int i = 0; i < selector.match_expressions_size(); ++i) {
    validate_requirement(errors, expressions.index(static_cast<size_t>(i)),
                         selector.match_expressions(i));
  }
}

}  // namespace windlass::api
