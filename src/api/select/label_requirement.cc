#include <algorithm>
#include <iterator>

#include "api/codec/json/decimal.h"
#include "api/select/label_selector.h"

namespace windlass::api {
namespace {

bool has_value(const std::vector<std::string>& values, const std::string& value) {
  return std::binary_search(values.begin(), values.end(), value);
}

std::string_view operator_text(LabelOperator op) {
  switch (op) {
    case LabelOperator::in:
      return " in ";
    case LabelOperator::not_in:
      return " notin ";
    case LabelOperator::equals:
      return "=";
    case LabelOperator::double_equals:
      return "==";
    case LabelOperator::not_equals:
      return "!=";
    case LabelOperator::greater_than:
      return ">";
    case LabelOperator::less_than:
      return "<";
    case LabelOperator::exists:
    case LabelOperator::does_not_exist:
      return "";
  }
  return "";
}

std::string joined_in_order(std::vector<std::string> values) {
  std::sort(values.begin(), values.end());
  std::string text;
  for (const std::string& value : values) {
    if (&value != &values.front()) {
      text += ',';
    }
    text += value;
  }
  return text;
}

}  // namespace

bool LabelRequirement::matches(const std::string* label) const {
  switch (op) {
    case LabelOperator::in:
    case LabelOperator::equals:
    case LabelOperator::double_equals:
      return label != nullptr && has_value(values, *label);
    case LabelOperator::not_in:
    case LabelOperator::not_equals:
      return label == nullptr || !has_value(values, *label);
    case LabelOperator::exists:
      return label != nullptr;
    case LabelOperator::does_not_exist:
      return label == nullptr;
    case LabelOperator::greater_than:
    case LabelOperator::less_than: {
      if (label == nullptr || values.size() != 1) {
        return false;
      }
      const auto actual = parse_decimal(*label);
      const auto bound = parse_decimal(values[0]);
      if (!actual || !bound) {
        return false;
      }
      return op == LabelOperator::greater_than ? *actual > *bound : *actual < *bound;
    }
  }
  return false;
}

void LabelSelector::KeyRule::add(const LabelRequirement& requirement) {
  switch (requirement.op) {
    case LabelOperator::in:
    case LabelOperator::equals:
    case LabelOperator::double_equals: {
      must_exist = true;
      std::vector<std::string> common = requirement.values;
      if (allowed) {
        common.clear();
        std::ranges::set_intersection(*allowed, requirement.values, std::back_inserter(common));
      }
      allowed = std::move(common);
      return;
    }
    case LabelOperator::not_in:
    case LabelOperator::not_equals:
      excluded.insert(excluded.end(), requirement.values.begin(), requirement.values.end());
      return;
    case LabelOperator::exists:
      must_exist = true;
      return;
    case LabelOperator::does_not_exist:
      must_not_exist = true;
      return;
    case LabelOperator::greater_than:
    case LabelOperator::less_than:
      must_exist = true;
      add_bound(requirement);
  }
}

// Of two bounds in one direction the tighter one counts.
void LabelSelector::KeyRule::add_bound(const LabelRequirement& requirement) {
  const auto same = std::ranges::find(bounds, requirement.op, &LabelRequirement::op);
  if (same == bounds.end()) {
    bounds.push_back(requirement);
  } else if (same->matches(&requirement.values.front())) {
    *same = requirement;
  }
}

bool LabelSelector::KeyRule::matches(const std::string& label) const {
  return !must_not_exist && (!allowed || has_value(*allowed, label)) &&
         !has_value(excluded, label) &&
         std::ranges::all_of(bounds, [&](const auto& bound) { return bound.matches(&label); });
}

std::string LabelRequirement::text() const {
  if (op == LabelOperator::does_not_exist) {
    return "!" + key;
  }
  std::string text = key;
  text += operator_text(op);
  if (op == LabelOperator::in || op == LabelOperator::not_in) {
    text += '(' + joined_in_order(values) + ')';
  } else if (op != LabelOperator::exists) {
    text += joined_in_order(values);
  }
  return text;
}

}  // namespace windlass::api
