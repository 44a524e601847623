// core/v1 Pod: api.md P22, P50-P53, P60, P70, P78. Defaults and validation are in api/.

#include <array>
#include <deque>
#include <map>
#include <string_view>

#include "api/equality.h"
#include "api/generation.h"
#include "api/pod/defaults/default_pod.h"
#include "api/pod/merge_label_keys.h"
#include "api/pod/pod_condition.h"
#include "api/pod/validation/validate_pod_spec.h"
#include "api/pod/validation/validate_pod_update.h"
#include "api/pod/warnings/warnings_pod.h"
#include "apiserver/strategies/strategies.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/meta/v1/quantity.pb.h"

namespace windlass::apiserver {

namespace {

// The quality of service class of a pod, from its requests and limits (api.md P22).

using api::meta::v1::Quantity;
using Resources = google::protobuf::Map<std::string, Quantity>;

constexpr std::array<const char*, 2> kCounted = {"cpu", "memory"};

// nullptr when it is not there, or zero.
const Quantity* find(const Resources& resources, const char* name) {
  const auto found = resources.find(name);
  if (found == resources.end()) {
    return nullptr;
  }
  static const Quantity zero = [] {
    Quantity quantity;
    quantity.set_string("0");
    return quantity;
  }();
  return api::semantically_equal(found->second, zero) ? nullptr : &found->second;
}

struct QosEvidence {
  bool asks_nothing = true;
  bool guaranteed = true;
};

void judge(const api::core::v1::ResourceRequirements& resources, QosEvidence& verdict) {
  for (const char* name : kCounted) {
    const Quantity* request = find(resources.requests(), name);
    const Quantity* limit = find(resources.limits(), name);
    verdict.asks_nothing = verdict.asks_nothing && request == nullptr && limit == nullptr;
    verdict.guaranteed = verdict.guaranteed && request != nullptr && limit != nullptr &&
                         api::semantically_equal(*request, *limit);
  }
}

std::string_view qos_class(const api::core::v1::Pod& pod) {
  QosEvidence verdict;
  if (pod.spec().has_resources()) {
    judge(pod.spec().resources(), verdict);  // they speak for the whole pod
  } else {
    for (const api::core::v1::Container& container : pod.spec().containers()) {
      judge(container.resources(), verdict);
    }
    for (const api::core::v1::Container& container : pod.spec().init_containers()) {
      judge(container.resources(), verdict);
    }
  }
  return verdict.asks_nothing ? "BestEffort" : verdict.guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace

namespace {

using api::core::v1::Pod;

bool is_terminal(const Pod& pod) {
  return pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed";
}

void keep_qos_class(const Pod& old, Pod& pod) {
  if (pod.status().qos_class().empty() && old.status().has_qos_class()) {
    pod.mutable_status()->set_qos_class(old.status().qos_class());
  }
}

// A client that does not know the field does not mean to clear it. There may be several conditions
// of a type.
void keep_observed_generations(const api::core::v1::PodStatus& old,
                               api::core::v1::PodStatus& status) {
  if (status.observed_generation() == 0 && old.observed_generation() != 0) {
    status.set_observed_generation(old.observed_generation());
  }
  std::map<std::string_view, std::deque<int64_t>> by_type;
  for (const auto& condition : old.conditions()) {
    by_type[condition.type()].push_back(condition.observed_generation());
  }
  for (auto& condition : *status.mutable_conditions()) {
    const auto known = by_type.find(condition.type());
    if (known == by_type.end() || known->second.empty()) {
      continue;
    }
    const int64_t generation = known->second.front();
    known->second.pop_front();
    if (condition.observed_generation() == 0 && generation != 0) {
      condition.set_observed_generation(generation);
    }
  }
}

// P105.
std::optional<std::string> selectable_pod_field(const Pod& pod, std::string_view field) {
  if (field == "spec.nodeName" || field == "spec.host") {
    return pod.spec().node_name();
  }
  if (field == "spec.restartPolicy") {
    return pod.spec().restart_policy();
  }
  if (field == "spec.schedulerName") {
    return pod.spec().scheduler_name();
  }
  if (field == "spec.serviceAccountName") {
    return pod.spec().service_account_name();
  }
  if (field == "spec.hostNetwork") {
    return pod.spec().host_network() ? "true" : "false";
  }
  if (field == "status.phase") {
    return pod.status().phase();
  }
  if (field == "status.podIP") {
    return pod.status().pod_ip();
  }
  if (field == "status.podIPs") {
    return "";  // accepted, and never equal to an address
  }
  if (field == "status.nominatedNodeName") {
    return pod.status().nominated_node_name();
  }
  return std::nullopt;
}

class PodStrategy final : public Strategy {
 public:
  PodStrategy()
      : Strategy(api::kinds::pod(), {.has_status = true, .delete_returns_object = true}) {}

  void apply_defaults(Message& object, const Message*, const WriteContext&) const override {
    api::default_pod(as<Pod>(object));
  }

  void prepare_for_create(Message& object, const WriteContext& context) const override {
    Pod& pod = as<Pod>(object);
    pod.mutable_metadata()->set_generation(1);
    pod.clear_status();
    pod.mutable_status()->set_phase("Pending");
    pod.mutable_status()->set_qos_class(std::string(qos_class(pod)));
    api::merge_label_keys(pod);
    if (!pod.spec().scheduling_gates().empty()) {
      api::set_pod_condition(pod, "PodScheduled", "False", context.now, "SchedulingGated",
                             "Scheduling is blocked due to non-empty scheduling gates",
                             api::ConditionGeneration::absent);
    }
  }
  api::FieldErrors validate_create(const Message& object) const override {
    api::FieldErrors errors;
    api::validate_pod(errors, as<Pod>(object));
    return errors;
  }

  void prepare_for_update(const Message& old_object, Message& object,
                          const WriteContext&) const override {
    const Pod& old = as<Pod>(old_object);
    Pod& pod = as<Pod>(object);
    *pod.mutable_status() = old.status();
    if (!api::semantically_equal(old.spec(), pod.spec())) {
      pod.mutable_metadata()->set_generation(api::next_generation(old.metadata().generation()));
    }
  }
  api::FieldErrors validate_update(const Message& old, const Message& object) const override {
    api::FieldErrors errors;
    api::validate_pod_update(errors, as<Pod>(object), as<Pod>(old));
    return errors;
  }

  void prepare_for_status_update(const Message& old_object, Message& object,
                                 const WriteContext&) const override {
    const Pod& old = as<Pod>(old_object);
    Pod& pod = as<Pod>(object);
    *pod.mutable_spec() = old.spec();
    if (!old.metadata().has_deletion_timestamp()) {
      pod.mutable_metadata()->clear_deletion_timestamp();
    }
    *pod.mutable_metadata()->mutable_owner_references() = old.metadata().owner_references();
    keep_qos_class(old, pod);
    keep_observed_generations(old.status(), *pod.mutable_status());
  }
  api::FieldErrors validate_status_update(const Message& old,
                                          const Message& object) const override {
    api::FieldErrors errors;
    api::validate_pod_status_update(errors, as<Pod>(object), as<Pod>(old));
    return errors;
  }

  std::vector<std::string> warnings(const Message& object, const Message* old) const override {
    return old == nullptr ? api::pod_warnings(as<Pod>(object)) : std::vector<std::string>();
  }

  std::optional<std::string> selectable(const Message& object,
                                        std::string_view field) const override {
    const auto value = selectable_pod_field(as<Pod>(object), field);
    return value ? value : Strategy::selectable(object, field);
  }
  std::string unselectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }

  std::optional<int64_t> grace_seconds(const Message& object,
                                       std::optional<int64_t> asked) const override {
    const Pod& pod = as<Pod>(object);
    const int64_t grace = asked.value_or(pod.spec().termination_grace_period_seconds());
    if (pod.spec().node_name().empty() || is_terminal(pod)) {
      return 0;
    }
    return grace < 0 ? 1 : grace;
  }
};

}  // namespace

const Strategy& pod_strategy() {
  static const PodStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
