#include "apiserver/pod_conditions.h"

#include <algorithm>
#include <string>

#include "api/codec/wire_time.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {

void set_pod_condition(api::core::v1::Pod& pod, std::string_view type, std::string_view status,
                       Time now, std::string_view reason, std::string_view message) {
  auto& conditions = *pod.mutable_status()->mutable_conditions();
  const auto found = std::ranges::find(conditions, type, &api::core::v1::PodCondition::type);
  api::core::v1::PodCondition& condition = found == conditions.end() ? *conditions.Add() : *found;
  condition.set_type(std::string(type));
  if (condition.status() != status) {
    condition.set_status(std::string(status));
    api::set_time(*condition.mutable_last_transition_time(), now);
  }
  condition.clear_reason();
  if (!reason.empty()) {
    condition.set_reason(std::string(reason));
  }
  condition.clear_message();
  if (!message.empty()) {
    condition.set_message(std::string(message));
  }
}

}  // namespace windlass::apiserver
