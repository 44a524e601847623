// spec.successPolicy of an Indexed Job (api.md J74-J79).
#include <fmt/format.h>

#include <limits>
#include <string>

#include "api/job/validation/validate_job_spec.h"
#include "base/index_set.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

using batch::v1::JobSpec;
using batch::v1::SuccessPolicyRule;

constexpr size_t kMaxSuccessRules = 20;
constexpr size_t kMaxIndexesBytes = 65536;

// The number of indexes that the list names; 0 when it cannot be read. Indexes have no upper bound
// when the Job has no completions: that Job is refused anyway (J66, J78).
int64_t validate_succeeded_indexes(FieldErrors& errors, const FieldPath& path,
                                   const std::string& text, const JobSpec& spec) {
  if (text.size() > kMaxIndexesBytes) {
    errors.too_long(path, kMaxIndexesBytes);
  }
  const int32_t completions =
      spec.has_completions() ? spec.completions() : std::numeric_limits<int32_t>::max();
  const Result<IndexSet> indexes = IndexSet::parse(text, completions);
  if (!indexes) {
    errors.invalid(path, text,
                   fmt::format("error parsing succeededIndexes: {}", indexes.error().message));
    return 0;
  }
  return indexes->size();
}

// J77.
void validate_succeeded_count(FieldErrors& errors, const FieldPath& path,
                              const SuccessPolicyRule& rule, int64_t indexes, const JobSpec& spec) {
  const int32_t count = rule.succeeded_count();
  validate_non_negative(errors, path, count);
  if (spec.has_completions() && count > spec.completions()) {
    errors.invalid(
        path, BadValue::number(count),
        fmt::format("must be less than or equal to {} (the number of specified completions)",
                    spec.completions()));
  }
  if (rule.has_succeeded_indexes() && count > indexes) {
    errors.invalid(path, BadValue::number(count),
                   fmt::format("must be less than or equal to {} (the number of indexes in the "
                               "specified succeededIndexes field)",
                               indexes));
  }
}

void validate_rule(FieldErrors& errors, const FieldPath& path, const SuccessPolicyRule& rule,
                   const JobSpec& spec) {
  if (!rule.has_succeeded_count() && !rule.has_succeeded_indexes()) {  // J75
    errors.required(path, "at least one of succeededCount or succeededIndexes must be specified");
  }
  int64_t indexes = 0;
  if (rule.has_succeeded_indexes()) {
    indexes = validate_succeeded_indexes(errors, path.child("succeededIndexes"),
                                         rule.succeeded_indexes(), spec);
  }
  if (rule.has_succeeded_count()) {
    validate_succeeded_count(errors, path.child("succeededCount"), rule, indexes, spec);
  }
}

}  // namespace

void validate_success_policy(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  const auto& policy = spec.success_policy();
  const FieldPath rules = path.child("rules");
  const size_t count = static_cast<size_t>(policy.rules_size());
  if (count == 0) {  // J74
    errors.required(rules,
                    "at least one rules must be specified when the successPolicy is specified");
  }
  if (count > kMaxSuccessRules) {
    errors.too_many(rules, count, kMaxSuccessRules);
  }
  for (size_t i = 0; i < count; ++i) {
    validate_rule(errors, rules.index(i), policy.rules(static_cast<int>(i)), spec);
  }
}

}  // namespace windlass::api
