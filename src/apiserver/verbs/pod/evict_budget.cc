#include "apiserver/verbs/pod/evict_budget.h"

#include <algorithm>

#include "api/codec/wire_time.h"
#include "api/select/label_selector.h"
#include "base/status.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Pod;

constexpr int32_t kRetryUnprocessedSeconds = 10;
constexpr std::string_view kAllowedCondition = "DisruptionAllowed";

bool is_ready(const Pod& pod) {
  return std::ranges::any_of(pod.status().conditions(), [](const auto& condition) {
    return condition.type() == "Ready" && condition.status() == "True";
  });
}

// E-8: an unready pod is not what keeps the others available.
bool is_free(const Budget& budget, const Pod& pod) {
  if (is_ready(pod)) {
    return false;
  }
  if (budget.spec().unhealthy_pod_eviction_policy() == "AlwaysAllow") {
    return true;
  }
  const auto& status = budget.status();
  return status.desired_healthy() > 0 && status.current_healthy() >= status.desired_healthy();
}

Status too_many(std::string cause, int32_t retry_after_seconds) {
  Status status;
  status.code = 429;
  status.reason = "TooManyRequests";
  status.message = "Cannot evict pod as it would violate the pod's disruption budget.";
  status.details.causes.push_back({"DisruptionBudget", std::move(cause), ""});
  status.details.retry_after_seconds = retry_after_seconds;
  return status;
}

Status refused_by(const Budget& budget, std::string_view why) {
  return forbidden({"policy", "poddisruptionbudget", budget.metadata().name()}, why);
}

// E-9d.
std::string why_exhausted(const Budget& budget) {
  const auto& status = budget.status();
  const std::string subject = "The disruption budget " + budget.metadata().name();
  const std::string refusal = subject + " does not allow evicting pods currently";
  const auto condition =
      std::ranges::find(status.conditions(), kAllowedCondition, &api::meta::v1::Condition::type);
  const bool found = condition != status.conditions().end() && condition->status() == "False";
  if (found && condition->reason() == "SyncFailed") {
    return refusal + " because it failed sync: " + condition->message();
  }
  if (status.current_healthy() <= status.desired_healthy()) {
    return subject + " needs " + std::to_string(status.desired_healthy()) +
           " healthy pods and has " + std::to_string(status.current_healthy()) + " currently";
  }
  if (found && !condition->message().empty()) {
    return refusal + " (" + condition->reason() + "): " + condition->message();
  }
  return refusal;
}

void mark_exhausted(Budget& budget, Time now) {
  auto& conditions = *budget.mutable_status()->mutable_conditions();
  auto condition =
      std::ranges::find(conditions, kAllowedCondition, &api::meta::v1::Condition::type);
  if (condition == conditions.end()) {
    conditions.Add()->set_type(std::string(kAllowedCondition));
    condition = conditions.end() - 1;
  }
  if (condition->status() != "False") {
    api::set_time(*condition->mutable_last_transition_time(), now);
  }
  condition->set_status("False");
  condition->set_reason("InsufficientPods");
  condition->clear_message();
  condition->set_observed_generation(budget.status().observed_generation());
}

}  // namespace

bool ignores_budgets(const Pod& pod) {
  const std::string& phase = pod.status().phase();
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         pod.metadata().has_deletion_timestamp();
}

bool selects(const Budget& budget, const Pod& pod) {
  const auto selector = api::LabelSelector::from_message(
      budget.spec().has_selector() ? &budget.spec().selector() : nullptr);
  return selector && selector->matches(pod.metadata().labels());
}

Result<std::unique_ptr<Budget>> charge(const Budget& budget, const Pod& pod, Time now) {
  if (is_free(budget, pod)) {
    return nullptr;
  }
  const auto& status = budget.status();
  if (status.observed_generation() < budget.metadata().generation()) {
    return fail(too_many("The disruption budget " + budget.metadata().name() +
                             " is still being processed by the server.",
                         kRetryUnprocessedSeconds));
  }
  if (status.disruptions_allowed() < 0) {
    return fail(refused_by(budget, "pdb disruptions allowed is negative"));
  }
  if (status.disrupted_pods_size() > kMaxDisruptedPods) {
    return fail(refused_by(
        budget, "DisruptedPods map too big - too many evictions not confirmed by PDB controller"));
  }
  if (status.disruptions_allowed() == 0) {
    return fail(too_many(why_exhausted(budget), 0));
  }
  auto paid = std::make_unique<Budget>(budget);
  auto& changed = *paid->mutable_status();
  changed.set_disruptions_allowed(changed.disruptions_allowed() - 1);
  if (changed.disruptions_allowed() == 0) {
    changed.clear_disruptions_allowed();
    mark_exhausted(*paid, now);
  }
  api::set_time((*changed.mutable_disrupted_pods())[pod.metadata().name()], now);
  return paid;
}

}  // namespace windlass::apiserver
