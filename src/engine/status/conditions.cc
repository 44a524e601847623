#include "engine/status/conditions.h"

#include <algorithm>
#include <array>

namespace windlass::engine {

const Condition* true_condition(const JobStatus& status, std::string_view type) {
  for (auto it = status.conditions.rbegin(); it != status.conditions.rend(); ++it) {
    if (it->type == type && it->status == ConditionStatus::is_true) {
      return &*it;
    }
  }
  return nullptr;
}

bool has_true(const JobStatus& status, std::string_view type) {
  return true_condition(status, type) != nullptr;
}

bool is_finished(const JobStatus& status) {
  return has_true(status, kTypeComplete) || has_true(status, kTypeFailed);
}

bool set_condition(JobStatus& status, std::string_view type, ConditionStatus value,
                   std::string_view reason, std::string_view message, Time now) {
  auto& conditions = status.conditions;
  const auto of_type = [type](const Condition& condition) { return condition.type == type; };
  const auto found = std::find_if(conditions.begin(), conditions.end(), of_type);
  Condition wanted{std::string(type), value, now, now, std::string(reason), std::string(message)};
  if (found == conditions.end()) {
    if (value == ConditionStatus::is_false) {
      return false;
    }
    conditions.push_back(std::move(wanted));
    return true;
  }
  bool changed = false;
  if (found->status != value || found->reason != reason || found->message != message) {
    *found = std::move(wanted);
    changed = true;
  }
  const auto extra = std::remove_if(found + 1, conditions.end(), of_type);
  changed = changed || extra != conditions.end();
  conditions.erase(extra, conditions.end());
  return changed;
}

std::string_view finished_reason_label(std::string_view reason) {
  static constexpr std::array known = {kReasonBackoffLimit,     kReasonDeadline,
                                       kReasonMaxFailedIndexes, kReasonFailedIndexes,
                                       kReasonSuccessPolicy,    kReasonCompletions};
  const auto found = std::find(known.begin(), known.end(), reason);
  if (found != known.end()) {
    return *found;
  }
  for (const std::string_view of_rule : {kReasonPodFailurePolicy, kReasonRuleBudget}) {
    if (reason.starts_with(of_rule)) {
      return of_rule;
    }
  }
  return "Other";
}

}  // namespace windlass::engine
