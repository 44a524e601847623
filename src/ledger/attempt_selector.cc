#include "ledger/attempt_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "api/select/field_selector.h"
#include "base/quote.h"

namespace windlass::ledger {
namespace {

using api::FieldRequirement;

Failure bad_value(const FieldRequirement& requirement, std::string_view why) {
  return fail(bad_request(
      fmt::format("{}: invalid value {}: {}", requirement.field, quote(requirement.value), why)));
}

Result<int32_t> number_of(const FieldRequirement& requirement) {
  const std::string& text = requirement.value;
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return bad_value(requirement, "must be a number");
  }
  return number;
}

using Field = Result<void> (*)(const FieldRequirement&, AttemptFilter&);

template <std::string AttemptFilter::*Member>
Result<void> take_text(const FieldRequirement& requirement, AttemptFilter& filter) {
  if (requirement.value.empty()) {
    return bad_value(requirement, "must not be empty");
  }
  filter.*Member = requirement.value;
  return {};
}

template <std::optional<int32_t> AttemptFilter::*Member>
Result<void> take_number(const FieldRequirement& requirement, AttemptFilter& filter) {
  TRY(filter.*Member, number_of(requirement));
  return {};
}

template <std::optional<Time> AttemptFilter::*Member>
Result<void> take_time(const FieldRequirement& requirement, AttemptFilter& filter) {
  const auto time = parse_rfc3339(requirement.value);
  if (!time) {
    return bad_value(requirement, "must be a time like 2006-01-02T15:04:05Z");
  }
  filter.*Member = *time;
  return {};
}

Result<void> take_index(const FieldRequirement& requirement, AttemptFilter& filter) {
  TRY(const int32_t index, number_of(requirement));
  if (index < 0) {
    return bad_value(requirement, "must not be negative");
  }
  filter.indexes = IndexSet{index};
  return {};
}

Result<void> take_indexes(const FieldRequirement& requirement, AttemptFilter& filter) {
  auto indexes = IndexSet::parse(requirement.value, std::numeric_limits<int32_t>::max());
  if (!indexes) {
    return bad_value(requirement, indexes.error().message);
  }
  filter.indexes = *std::move(indexes);
  return {};
}

struct NamedField {
  std::string_view name;
  Field take;
};

constexpr std::array<NamedField, 13> kFields = {{
    {"metadata.namespace", &take_text<&AttemptFilter::ns>},
    {"metadata.name", &take_text<&AttemptFilter::pod_uid>},
    {"job.name", &take_text<&AttemptFilter::job>},
    {"job.uid", &take_text<&AttemptFilter::job_uid>},
    {"index", &take_index},
    {"indexes", &take_indexes},
    {"nodeName", &take_text<&AttemptFilter::node>},
    {"exitCode", &take_number<&AttemptFilter::exit_code>},
    {"verdict.counted", &take_text<&AttemptFilter::counted>},
    {"verdict.rule", &take_number<&AttemptFilter::rule>},
    {"verdict.ruleName", &take_text<&AttemptFilter::rule_name>},
    {"since", &take_time<&AttemptFilter::since>},
    {"until", &take_time<&AttemptFilter::until>},
}};

void add_term(std::string& selector, std::string_view field, std::string_view value) {
  if (value.empty()) {
    return;
  }
  selector += selector.empty() ? "" : ",";
  selector += fmt::format("{}=", field);
  for (const char c : value) {
    if (c == '\\' || c == ',' || c == '=') {
      selector += '\\';
    }
    selector += c;
  }
}

std::string text_of(const std::optional<int32_t>& number) {
  return number ? std::to_string(*number) : "";
}

std::string text_of(const std::optional<Time>& time) {
  return time ? format_rfc3339(*time) : "";
}

}  // namespace

Result<AttemptFilter> parse_attempt_selector(std::string_view selector) {
  TRY(const api::FieldSelector parsed, api::FieldSelector::parse(selector));
  AttemptFilter filter;
  std::string_view last;
  for (const FieldRequirement& requirement : parsed.requirements()) {
    const auto* field = std::find_if(kFields.begin(), kFields.end(), [&](const NamedField& known) {
      return known.name == requirement.field;
    });
    if (field == kFields.end()) {
      return fail(bad_request(fmt::format("field label not supported: {}", requirement.field)));
    }
    if (!requirement.equal) {
      return fail(
          bad_request(fmt::format("{}: attempts can be selected with = only", requirement.field)));
    }
    // They are in order.
    if (requirement.field == last || (last == "index" && requirement.field == "indexes")) {
      return fail(bad_request(fmt::format("{} is given twice", requirement.field)));
    }
    last = requirement.field;
    TRY_VOID(field->take(requirement, filter));
  }
  return filter;
}

std::string attempt_selector(const AttemptFilter& filter) {
  std::string selector;
  add_term(selector, "metadata.name", filter.pod_uid);
  add_term(selector, "job.name", filter.job);
  add_term(selector, "job.uid", filter.job_uid);
  if (filter.indexes && filter.indexes->empty()) {
    selector += selector.empty() ? "indexes=" : ",indexes=";  // matches nothing
  } else if (filter.indexes) {
    add_term(selector, "indexes", filter.indexes->to_string());
  }
  add_term(selector, "nodeName", filter.node);
  add_term(selector, "exitCode", text_of(filter.exit_code));
  add_term(selector, "verdict.counted", filter.counted);
  add_term(selector, "verdict.rule", text_of(filter.rule));
  add_term(selector, "verdict.ruleName", filter.rule_name);
  add_term(selector, "since", text_of(filter.since));
  add_term(selector, "until", text_of(filter.until));
  return selector;
}

}  // namespace windlass::ledger
