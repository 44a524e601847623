#include "api/pod/pod_condition.h"

#include <algorithm>
#include <string>

#include "api/codec/wire_time.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {

bool set_pod_condition(core::v1::Pod& pod, std::string_view condition_type, std::string_view status,
                       Time now, std::string_view reason, std::string_view message,
                       ConditionGeneration generation) {
  auto& conditions = *pod.mutable_status()->mutable_conditions();
  const auto found = std::ranges::find(conditions, condition_type, &core::v1::PodCondition::type);
  if (found != conditions.end() && found->status() == status && found->reason() == reason &&
      found->message() == message) {
    return false;
  }
  core::v1::PodCondition& condition = found == conditions.end() ? *conditions.Add() : *found;
  condition.set_type(std::string(condition_type));
  if (condition.status() != status) {
    condition.set_status(std::string(status));
    set_time(*condition.mutable_last_transition_time(), now);
  }
  condition.clear_reason();
  if (!reason.empty()) {
    condition.set_reason(std::string(reason));
  }
  condition.clear_message();
  if (!message.empty()) {
    condition.set_message(std::string(message));
  }
  if (generation != ConditionGeneration::kept) {
    condition.clear_observed_generation();
  }
  if (generation == ConditionGeneration::seen && pod.metadata().generation() > 0) {
    condition.set_observed_generation(pod.metadata().generation());
  }
  return true;
}

}  // namespace windlass::api
