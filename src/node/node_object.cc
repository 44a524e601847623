#include "node/node_object.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/codec/wire_time.h"
#include "base/quantity.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::node {

namespace {

namespace core = api::core::v1;

struct ConditionText {
  const char* type;
  const char* status;
  const char* reason;
  const char* message;
};

// K-58, K-72.
std::array<ConditionText, 4> condition_texts(const NodeHealth& health) {
  constexpr ConditionText kMemory[] = {{"MemoryPressure", "False", "KubeletHasSufficientMemory",
                                        "kubelet has sufficient memory available"},
                                       {"MemoryPressure", "True", "KubeletHasInsufficientMemory",
                                        "kubelet has insufficient memory available"}};
  constexpr ConditionText kDisk[] = {
      {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
      {"DiskPressure", "True", "KubeletHasDiskPressure", "kubelet has disk pressure"}};
  constexpr ConditionText kPid[] = {
      {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
      {"PIDPressure", "True", "KubeletHasInsufficientPID",
       "kubelet has insufficient PID available"}};
  constexpr ConditionText kReady[] = {
      {"Ready", "True", "KubeletReady", "kubelet is posting ready status"},
      {"Ready", "False", "KubeletNotReady", "node is shutting down"}};
  return {kMemory[health.memory_pressure ? 1 : 0], kDisk[health.disk_pressure ? 1 : 0],
          kPid[health.pid_pressure ? 1 : 0], kReady[health.shutting_down ? 1 : 0]};
}

void set_condition(const ConditionText& text, Time now, core::NodeStatus& status) {
  core::NodeCondition* found = nullptr;
  for (core::NodeCondition& condition : *status.mutable_conditions()) {
    found = condition.type() == text.type ? &condition : found;
  }
  if (found == nullptr) {
    found = status.add_conditions();
    found->set_type(text.type);
  }
  if (found->status() != text.status) {
    found->set_status(text.status);
    api::set_time(*found->mutable_last_transition_time(), now);
  }
  api::set_time(*found->mutable_last_heartbeat_time(), now);
  found->set_reason(text.reason);
  found->set_message(text.message);
}

// Another spelling of the same amount, which is the server's, stays.
void set_amount(const std::string& amount, api::meta::v1::Quantity& out) {
  const Result<Quantity> said = Quantity::parse(out.string());
  const Result<Quantity> wanted = Quantity::parse(amount);
  if (!said || !wanted || *said != *wanted) {
    out.set_string(amount);
  }
}

core::NodeStatus without_heartbeats(const api::Message& message) {
  core::NodeStatus status = static_cast<const core::Node&>(message).status();
  for (core::NodeCondition& condition : *status.mutable_conditions()) {
    condition.clear_last_heartbeat_time();
  }
  return status;
}

void set_address(core::NodeStatus& status, const char* type, const std::string& address) {
  core::NodeAddress& out = *status.add_addresses();
  out.set_type(type);
  out.set_address(address);
}

void tell_system(const NodeSystem& system, core::NodeSystemInfo& info) {
  const std::pair<const std::string&, std::string* (core::NodeSystemInfo::*)()> fields[] = {
      {system.version, &core::NodeSystemInfo::mutable_kubelet_version},
      {system.os_image, &core::NodeSystemInfo::mutable_os_image},
      {system.kernel_version, &core::NodeSystemInfo::mutable_kernel_version},
      {system.machine_id, &core::NodeSystemInfo::mutable_machine_id},
      {system.system_uuid, &core::NodeSystemInfo::mutable_system_uuid},
      {system.boot_id, &core::NodeSystemInfo::mutable_boot_id},
  };
  for (const auto& [text, field] : fields) {
    if (!text.empty()) {
      *(info.*field)() = text;
    }
  }
}

}  // namespace

void refresh_node(const AgentConfig& config, Time now, api::Message& message,
                  const NodeHealth& health) {
  auto& node = static_cast<core::Node&>(message);
  auto& labels = *node.mutable_metadata()->mutable_labels();
  labels["kubernetes.io/hostname"] = config.node_name;
  labels["kubernetes.io/os"] = config.operating_system;
  labels["kubernetes.io/arch"] = config.system.architecture;
  for (const auto& [name, value] : config.labels) {
    labels[name] = value;
  }
  for (const auto& [name, value] : config.annotations) {
    (*node.mutable_metadata()->mutable_annotations())[name] = value;
  }
  core::NodeStatus& status = *node.mutable_status();
  for (const auto& [name, amount] : config.capacity) {
    set_amount(amount, (*status.mutable_capacity())[name]);
    set_amount(amount, (*status.mutable_allocatable())[name]);
  }
  for (const ConditionText& condition : condition_texts(health)) {
    set_condition(condition, now, status);
  }
  status.clear_addresses();
  set_address(status, "InternalIP", config.address);
  set_address(status, "Hostname", config.node_name);
  core::NodeSystemInfo& info = *status.mutable_node_info();
  info.set_operating_system(config.operating_system);
  info.set_architecture(config.system.architecture);
  info.set_container_runtime_version(config.runtime);
  tell_system(config.system, info);
}

bool same_status(const api::Message& node, const api::Message& other) {
  return google::protobuf::util::MessageDifferencer::Equals(without_heartbeats(node),
                                                            without_heartbeats(other));
}

bool has_shutdown_order(const api::Message& node) {
  return static_cast<const core::Node&>(node).metadata().annotations().contains(
      kShutdownAnnotation);
}

bool says(const api::Message& message, const NodeHealth& health) {
  const auto& conditions = static_cast<const core::Node&>(message).status().conditions();
  const auto texts = condition_texts(health);
  return std::all_of(texts.begin(), texts.end(), [&conditions](const ConditionText& text) {
    return std::any_of(conditions.begin(), conditions.end(), [&text](const auto& condition) {
      return condition.type() == text.type && condition.status() == text.status;
    });
  });
}

std::unique_ptr<api::Message> make_node(const AgentConfig& config, Time now) {
  auto node = std::make_unique<core::Node>();
  node->mutable_metadata()->set_name(config.node_name);
  refresh_node(config, now, *node);
  return node;
}

}  // namespace windlass::node
