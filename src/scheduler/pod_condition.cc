#include "scheduler/pod_condition.h"

#include "api/codec/wire_time.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::scheduler {

bool set_unscheduled(api::Message& message, const std::string& reason, const std::string& text,
                     Time now) {
  auto& pod = static_cast<api::core::v1::Pod&>(message);
  if (!pod.spec().node_name().empty()) {
    return false;
  }
  api::core::v1::PodCondition* condition = nullptr;
  for (auto& each : *pod.mutable_status()->mutable_conditions()) {
    if (each.type() == "PodScheduled") {
      condition = &each;
      break;
    }
  }
  if (condition == nullptr) {
    condition = pod.mutable_status()->add_conditions();
    condition->set_type("PodScheduled");
  }
  if (condition->status() == "False" && condition->reason() == reason &&
      condition->message() == text) {
    return false;
  }
  if (condition->status() != "False") {
    condition->set_status("False");
    api::set_time(*condition->mutable_last_transition_time(), now);
  }
  condition->set_reason(reason);
  condition->set_message(text);
  if (pod.metadata().generation() > 0) {
    condition->set_observed_generation(pod.metadata().generation());
  }
  return true;
}

}  // namespace windlass::scheduler
