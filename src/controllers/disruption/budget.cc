#include "controllers/disruption/budget.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/codec/wire_time.h"
#include "api/equality.h"
#include "api/kind.h"
#include "base/time.h"
#include "client/object_identity.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"

namespace windlass::controllers::disruption {
namespace {

using api::meta::v1::IntOrString;

constexpr const char* kDisruptionAllowed = "DisruptionAllowed";
constexpr int64_t kIsString = 1;

bool is_percent(const IntOrString& amount) {
  return amount.type() == kIsString;
}

constexpr int64_t kMostPods = std::numeric_limits<int32_t>::max();

// Of `total`, rounded up (D-2). A stored object may hold any number.
int32_t scaled(const IntOrString& amount, int32_t total) {
  int64_t scaled = amount.int_val();
  if (is_percent(amount)) {
    const std::string& text = amount.str_val();
    int64_t percent = 0;
    std::from_chars(text.data(), text.data() + text.size(), percent);
    scaled = (std::clamp(percent, int64_t{0}, kMostPods) * total + 99) / 100;
  }
  return static_cast<int32_t>(std::clamp(scaled, int64_t{0}, kMostPods));
}

// Nothing that is served here has a scale, so no controller can say how many pods it wants (D-3).
Result<int32_t> expected_by_controllers(const std::vector<const BudgetPod*>& pods,
                                        bool& has_unmanaged) {
  for (const BudgetPod* pod : pods) {
    if (!pod->controller.empty()) {
      return fail(plain_error(pod->controller + " does not implement the scale subresource"));
    }
    has_unmanaged = true;
  }
  return 0;
}

// D-6.
void keep_grants(const Budget& budget, const std::vector<const BudgetPod*>& pods, Time now,
                 Reckoning& reckoning) {
  for (const BudgetPod* pod : pods) {
    const auto granted = budget.status().disrupted_pods().find(pod->name);
    if (pod->deleting || granted == budget.status().disrupted_pods().end()) {
      continue;
    }
    const Time since = api::time_of(granted->second);
    const Time until = latest_instant(since) + kDeletionTimeout;
    if (until < now) {
      reckoning.not_deleted.push_back(pod);
    } else {
      reckoning.disrupted.emplace(pod->name, since);
      reckoning.recheck = std::min(reckoning.recheck.value_or(until), until);
    }
  }
}

void set_condition(const char* status, const std::string& reason, const std::string& message,
                   Time now, Budget& budget) {
  auto& conditions = *budget.mutable_status()->mutable_conditions();
  const auto found =
      std::ranges::find(conditions, kDisruptionAllowed, &api::meta::v1::Condition::type);
  auto& condition = found == conditions.end() ? *conditions.Add() : *found;
  if (condition.status() != status || !condition.has_last_transition_time()) {
    api::set_time(*condition.mutable_last_transition_time(), now);
  }
  condition.set_type(kDisruptionAllowed);
  condition.set_status(status);
  condition.set_reason(reason);
  condition.set_message(message);
  condition.set_observed_generation(budget.status().observed_generation());
}

std::string resource_of(const api::meta::v1::OwnerReference& owner) {
  const api::Kind* kind = api::find_kind(owner.api_version(), owner.kind());
  if (kind == nullptr) {
    return owner.api_version() + "/" + owner.kind();
  }
  std::string name(kind->plural);
  return kind->group.empty() ? name : name.append(".").append(kind->group);
}

const api::meta::v1::OwnerReference* controller_of(const api::meta::v1::ObjectMeta& metadata) {
  for (const auto& owner : metadata.owner_references()) {
    if (owner.controller()) {
      return &owner;
    }
  }
  return nullptr;
}

bool is_ready(const api::core::v1::Pod& pod) {
  const auto& conditions = pod.status().conditions();
  return std::any_of(conditions.begin(), conditions.end(), [](const auto& condition) {
    return condition.type() == "Ready" && condition.status() == "True";
  });
}

}  // namespace

BudgetPod read_budget_pod(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  const auto& metadata = pod.metadata();
  BudgetPod read;
  read.key = client::key_of(pod);
  read.ns = metadata.namespace_();
  read.name = metadata.name();
  read.uid = metadata.uid();
  read.labels = {metadata.labels().begin(), metadata.labels().end()};
  read.deleting = metadata.has_deletion_timestamp();
  if (const auto* owner = controller_of(metadata)) {
    read.controller = resource_of(*owner);
    read.controller_uid = owner->uid();
  }
  read.ready = is_ready(pod);
  return read;
}

bool is_current(const BudgetPod& known, const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  const auto& metadata = pod.metadata();
  const auto* owner = controller_of(metadata);
  const auto has_label = [&known](const auto& label) {
    const auto found = known.labels.find(label.first);
    return found != known.labels.end() && found->second == label.second;
  };
  return known.deleting == metadata.has_deletion_timestamp() && known.ready == is_ready(pod) &&
         known.controller_uid == (owner == nullptr ? std::string_view() : owner->uid()) &&
         known.labels.size() == metadata.labels().size() &&
         std::all_of(metadata.labels().begin(), metadata.labels().end(), has_label);
}

BudgetScope::BudgetScope(const Budget& budget)
    : ns_(budget.metadata().namespace_()),
      selector_(api::LabelSelector::from_message(
                    budget.spec().has_selector() ? &budget.spec().selector() : nullptr)
                    .value_or(api::LabelSelector::nothing())) {}

bool BudgetScope::has(const BudgetPod& pod) const {
  return ns_ == pod.ns && selector_.matches(pod.labels);
}

Result<Reckoning> reckon(const Budget& budget, const std::vector<const BudgetPod*>& pods,
                         Time now) {
  const auto& spec = budget.spec();
  Reckoning reckoning;
  if (spec.has_max_unavailable()) {
    TRY(reckoning.expected, expected_by_controllers(pods, reckoning.has_unmanaged));
    reckoning.desired =
        std::max(0, reckoning.expected - scaled(spec.max_unavailable(), reckoning.expected));
  } else if (spec.has_min_available() && is_percent(spec.min_available())) {
    TRY(reckoning.expected, expected_by_controllers(pods, reckoning.has_unmanaged));
    reckoning.desired = scaled(spec.min_available(), reckoning.expected);
  } else if (spec.has_min_available()) {
    reckoning.expected = static_cast<int32_t>(pods.size());
    reckoning.desired = scaled(spec.min_available(), reckoning.expected);
  }
  keep_grants(budget, pods, now, reckoning);
  for (const BudgetPod* pod : pods) {
    const bool healthy = pod->ready && !pod->deleting && !reckoning.disrupted.contains(pod->name);
    reckoning.healthy += healthy ? 1 : 0;
  }
  reckoning.allowed =
      reckoning.expected > 0 ? std::max(0, reckoning.healthy - reckoning.desired) : 0;
  return reckoning;
}

bool apply_reckoning(const Reckoning& reckoning, Time now, Budget& budget) {
  const auto before = budget.status();
  auto& status = *budget.mutable_status();
  status.set_observed_generation(budget.metadata().generation());
  status.set_expected_pods(reckoning.expected);
  status.set_desired_healthy(reckoning.desired);
  status.set_current_healthy(reckoning.healthy);
  status.set_disruptions_allowed(reckoning.allowed);
  status.clear_disrupted_pods();
  for (const auto& [name, since] : reckoning.disrupted) {
    api::set_time((*status.mutable_disrupted_pods())[name], since);
  }
  const bool allowed = reckoning.allowed > 0;
  set_condition(allowed ? "True" : "False", allowed ? "SufficientPods" : "InsufficientPods", "",
                now, budget);
  return !api::semantically_equal(before, status);
}

bool apply_failure(const std::string& why, Time now, Budget& budget) {
  const auto before = budget.status();
  budget.mutable_status()->set_disruptions_allowed(0);
  set_condition("False", "SyncFailed", why, now, budget);
  return !api::semantically_equal(before, budget.status());
}

}  // namespace windlass::controllers::disruption
