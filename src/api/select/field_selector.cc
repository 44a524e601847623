#include "api/select/field_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace windlass::api {
namespace {

// At the commas that no backslash escapes. The backslashes stay.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

Result<std::string> unescape(std::string_view text) {
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' || c == '=') {
      return fail(bad_request(
          fmt::format("invalid field selector: unescaped character in value: {}", int{c})));
    }
    if (c != '\\') {
      value += c;
      continue;
    }
    const std::string_view escaped = text.substr(i + 1, 1);
    if (escaped != "\\" && escaped != "," && escaped != "=") {
      return fail(bad_request(
          fmt::format("invalid field selector: invalid escape sequence: \\{}", escaped)));
    }
    value += escaped;
    ++i;
  }
  return value;
}

std::string escape(std::string_view text) {
  std::string value;
  for (const char c : text) {
    if (c == '\\' || c == ',' || c == '=') {
      value += '\\';
    }
    value += c;
  }
  return value;
}

// The field ends at the first operator; there is no escape in it.
Result<FieldRequirement> parse_term(std::string_view term, std::string_view whole) {
  for (size_t i = 0; i < term.size(); ++i) {
    const std::string_view rest = term.substr(i);
    const bool unequal = rest.starts_with("!=");
    if (!unequal && !rest.starts_with('=')) {
      continue;
    }
    const size_t length = unequal || rest.starts_with("==") ? 2 : 1;
    TRY(std::string value, unescape(rest.substr(length)));
    return FieldRequirement{std::string(term.substr(0, i)), !unequal, std::move(value)};
  }
  return fail(
      bad_request(fmt::format("invalid selector: '{}'; can't understand '{}'", whole, term)));
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  FieldSelector selector;
  std::vector<std::string_view> terms = split_terms(text);
  std::sort(terms.begin(), terms.end());
  for (std::string_view term : terms) {
    if (!term.empty()) {
      TRY(FieldRequirement requirement, parse_term(term, text));
      selector.requirements_.push_back(std::move(requirement));
    }
  }
  // In the order of their text, which an escaped character can place elsewhere than the terms'.
  std::sort(selector.requirements_.begin(), selector.requirements_.end(),
            [](const FieldRequirement& a, const FieldRequirement& b) {
              return std::tie(a.field, a.equal, a.value) < std::tie(b.field, b.equal, b.value);
            });
  return selector;
}

bool FieldSelector::matches(
    const std::function<std::string(std::string_view field)>& value_of) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const auto& requirement) {
    return (value_of(requirement.field) == requirement.value) == requirement.equal;
  });
}

std::optional<std::string_view> FieldSelector::required_value(std::string_view field) const {
  for (const FieldRequirement& requirement : requirements_) {
    if (requirement.equal && requirement.field == field) {
      return requirement.value;
    }
  }
  return std::nullopt;
}

std::string FieldSelector::text() const {
  std::string text;
  for (const FieldRequirement& requirement : requirements_) {
    text += text.empty() ? "" : ",";
    text += requirement.field;
    text += requirement.equal ? "=" : "!=";
    text += escape(requirement.value);
  }
  return text;
}

}  // namespace windlass::api
