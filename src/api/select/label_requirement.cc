#include <algorithm>

#include "api/codec/decimal.h"
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
