#include "api/job/validation/validate_job_spec.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "api/job/job_constants.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

constexpr size_t kMaxReasonBytes = 128;
constexpr size_t kMaxNameBytes = kMaxReasonBytes - kRuleReasonPrefix.size();

bool is_letter_digit_or_underscore(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What may follow the prefix in a condition reason: [A-Za-z0-9_,:]*[A-Za-z0-9_].
bool makes_a_reason(std::string_view name) {
  return is_letter_digit_or_underscore(name.back()) && std::ranges::all_of(name, [](char c) {
           return is_letter_digit_or_underscore(c) || c == ',' || c == ':';
         });
}

// Unnamed rules are known by their index, so such a name would point at the wrong rule.
bool is_index_of_other_rule(std::string_view name, size_t own_index, size_t rules) {
  size_t index = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, index);
  const bool is_decimal = error == std::errc() && stop == end && (name[0] != '0' || name == "0");
  return is_decimal && index < rules && index != own_index;
}

void validate_one_name(FieldErrors& errors, const FieldPath& path, const std::string& name) {
  if (name.empty()) {  // J88 e
    errors.invalid(path, name, "must not be empty; leave it out to have the rule's index instead");
    return;
  }
  if (name.size() > kMaxNameBytes) {  // J88 c
    errors.too_long(path, kMaxNameBytes);
  }
  if (!makes_a_reason(name)) {  // J88 c
    errors.invalid(path, name,
                   "must consist of letters, digits, '_', ',' or ':' and must end with a letter, a "
                   "digit or '_', because it becomes part of the Job's failure reason (regex used "
                   "for validation is '([A-Za-z0-9_,:]*[A-Za-z0-9_])?')");
  }
  if (std::ranges::find(kJobReasons, name) != kJobReasons.end()) {  // J88 d
    errors.invalid(path, name, "must not be a reason that the Job controller itself uses");
  }
}

}  // namespace

void validate_rule_names(FieldErrors& errors, const FieldPath& rules,
                         const batch::v1::PodFailurePolicy& policy) {
  std::set<std::string_view> seen;
  const size_t count = static_cast<size_t>(policy.rules_size());
  for (size_t i = 0; i < count; ++i) {
    const auto& named = policy.rules(static_cast<int>(i));
    if (!named.has_name()) {
      continue;
    }
    const FieldPath path = rules.index(i).child("name");
    validate_one_name(errors, path, named.name());
    if (is_index_of_other_rule(named.name(), i, count)) {  // J88 b
      errors.invalid(path, named.name(), "must not be the index of another rule");
    }
    if (!seen.insert(named.name()).second) {  // J88 a
      errors.duplicate(path, named.name());
    }
  }
}

}  // namespace windlass::api
