#include "engine/policy/success_policy.h"

namespace windlass::engine {

SuccessPolicy::SuccessPolicy(const std::vector<SuccessRule>& rules, int64_t completions,
                             const IndexBits& completed) {
  for (const SuccessRule& source : rules) {
    Rule rule;
    rule.counts_any = !source.succeeded_indexes;
    if (source.succeeded_indexes) {
      rule.required = IndexBits::parse(*source.succeeded_indexes, completions);
    }
    if (source.succeeded_count) {
      rule.needed_count = *source.succeeded_count;
    }
    rules_.push_back(std::move(rule));
  }
  successes_ = completed.size();
  for (Rule& rule : rules_) {
    rule.hits = rule.counts_any ? completed.size() : rule.required.overlap(completed);
  }
}

void SuccessPolicy::add_success(int64_t index, int64_t by) {
  successes_ += by;
  for (Rule& rule : rules_) {
    rule.hits += rule.counts_any || rule.required.contains(index) ? by : 0;
  }
}

bool SuccessPolicy::is_met(const Rule& rule) {
  if (!rule.counts_any && rule.required.empty()) {
    return false;  // unparsable, empty, or all of it at or above completions
  }
  if (rule.needed_count && rule.hits >= *rule.needed_count) {
    return true;
  }
  return !rule.counts_any && rule.hits == rule.required.size();
}

std::optional<size_t> SuccessPolicy::first_met() const {
  for (size_t i = 0; successes_ > 0 && i < rules_.size(); ++i) {
    if (is_met(rules_[i])) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace windlass::engine
