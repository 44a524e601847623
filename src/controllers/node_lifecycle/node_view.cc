#include "controllers/node_lifecycle/node_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "api/codec/wire_time.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::controllers::node_lifecycle {
namespace {

namespace core = api::core::v1;

constexpr const char* kUnschedulable = "node.kubernetes.io/unschedulable";

struct ConditionTaint {
  const char* condition;
  const char* status;
  std::string_view key;
};

constexpr ConditionTaint kConditionTaints[] = {
    {"Ready", "False", api::kNotReadyTaint},
    {"Ready", "Unknown", api::kUnreachableTaint},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
};

std::string label(const core::Node& node, const char* name) {
  const auto found = node.metadata().labels().find(name);
  return found == node.metadata().labels().end() ? std::string() : found->second;
}

bool condition_is(const core::Node& node, const ConditionTaint& rule) {
  const core::NodeCondition* condition = api::find_node_condition(node, rule.condition);
  return condition != nullptr && condition->status() == rule.status;
}

bool is_ours(std::string_view key) {
  return key == kUnschedulable ||
         std::any_of(std::begin(kConditionTaints), std::end(kConditionTaints),
                     [key](const ConditionTaint& rule) { return key == rule.key; });
}

bool is_life_key(std::string_view key) {
  return key == api::kNotReadyTaint || key == api::kUnreachableTaint;
}

std::vector<std::string_view> wanted_no_schedule(const core::Node& node) {
  std::vector<std::string_view> keys;
  for (const ConditionTaint& rule : kConditionTaints) {
    if (condition_is(node, rule)) {
      keys.push_back(rule.key);
    }
  }
  // N-5a: a node that never said Ready keeps the taint that its creation gave it.
  if (api::find_node_condition(node, "Ready") == nullptr) {
    for (const core::Taint& taint : node.spec().taints()) {
      if (taint.key() == api::kNotReadyTaint && taint.effect() == api::kNoSchedule) {
        keys.push_back(api::kNotReadyTaint);
      }
    }
  }
  if (node.spec().unschedulable()) {
    keys.push_back(kUnschedulable);
  }
  return keys;
}

// The NoExecute taint that belongs to the Ready condition; "" for none.
std::string_view life_key(const core::Node& node) {
  const core::NodeCondition* ready = api::find_node_condition(node, "Ready");
  if (ready == nullptr || ready->status() == "Unknown") {
    return api::kUnreachableTaint;
  }
  return ready->status() == "True" ? std::string_view() : api::kNotReadyTaint;
}

bool has_life_taint(const core::Node& node) {
  return api::has_taint(node, api::kNotReadyTaint, api::kNoExecute) ||
         api::has_taint(node, api::kUnreachableTaint, api::kNoExecute);
}

void add_taint(core::Node& node, std::string_view key, std::string_view effect, Time now) {
  core::Taint& taint = *node.mutable_spec()->add_taints();
  taint.set_key(std::string(key));
  taint.set_effect(std::string(effect));
  api::set_time(*taint.mutable_time_added(), now);
}

bool remove_taints(core::Node& node, const std::function<bool(const core::Taint&)>& unwanted) {
  auto& taints = *node.mutable_spec()->mutable_taints();
  const auto end = std::remove_if(taints.begin(), taints.end(), unwanted);
  const bool any = end != taints.end();
  taints.erase(end, taints.end());
  return any;
}

bool correct_no_schedule(core::Node& node, Time now) {
  const std::vector<std::string_view> wanted = wanted_no_schedule(node);
  bool changed = remove_taints(node, [&wanted](const core::Taint& taint) {
    return taint.effect() == api::kNoSchedule && is_ours(taint.key()) &&
           std::find(wanted.begin(), wanted.end(), taint.key()) == wanted.end();
  });
  for (const std::string_view key : wanted) {
    if (!api::has_taint(node, key, api::kNoSchedule)) {
      add_taint(node, key, api::kNoSchedule, now);
      changed = true;
    }
  }
  return changed;
}

bool correct_no_execute(core::Node& node, const TaintOrders& orders, Time now) {
  const std::string_view right = orders.remove_no_execute ? std::string_view() : life_key(node);
  const bool present = has_life_taint(node);
  bool changed = false;
  if (!right.empty() && (present || orders.add_no_execute) &&
      !api::has_taint(node, right, api::kNoExecute)) {
    add_taint(node, right, api::kNoExecute, now);
    changed = true;
  }
  return remove_taints(node,
                       [right](const core::Taint& taint) {
                         return taint.effect() == api::kNoExecute && is_life_key(taint.key()) &&
                                taint.key() != right;
                       }) ||
         changed;
}

}  // namespace

NodeView read_node(const api::Message& message) {
  const auto& node = static_cast<const core::Node&>(message);
  NodeView view;
  view.name = node.metadata().name();
  view.uid = node.metadata().uid();
  view.zone = label(node, "topology.kubernetes.io/region") + ":" +
              label(node, "topology.kubernetes.io/zone");
  view.ready = api::node_ready(node);
  if (const core::NodeCondition* ready = api::find_node_condition(node, "Ready")) {
    view.heartbeat = fmt::format("{} {}", ready->last_heartbeat_time().seconds(), ready->status());
  }
  view.evicting = has_life_taint(node);
  core::Node copy;
  *copy.mutable_spec()->mutable_taints() = node.spec().taints();
  copy.mutable_spec()->set_unschedulable(node.spec().unschedulable());
  *copy.mutable_status()->mutable_conditions() = node.status().conditions();
  view.taints_are_right = !correct_taints(copy, {}, {});
  return view;
}

bool correct_taints(api::Message& message, const TaintOrders& orders, Time now) {
  auto& node = static_cast<core::Node&>(message);
  const bool schedule = correct_no_schedule(node, now);
  return correct_no_execute(node, orders, now) || schedule;
}

bool mark_unknown(api::Message& message, Time now) {
  auto& node = static_cast<core::Node&>(message);
  bool changed = false;
  for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
    core::NodeCondition* found = nullptr;
    for (core::NodeCondition& condition : *node.mutable_status()->mutable_conditions()) {
      found = condition.type() == type ? &condition : found;
    }
    if (found != nullptr && found->status() == "Unknown") {
      continue;
    }
    changed = true;
    const bool never = found == nullptr;
    if (never) {
      found = node.mutable_status()->add_conditions();
      found->set_type(type);
    }
    found->set_status("Unknown");
    found->set_reason(never ? "NodeStatusNeverUpdated" : "NodeStatusUnknown");
    found->set_message(never ? "Kubelet never posted node status."
                             : "Kubelet stopped posting node status.");
    api::set_time(*found->mutable_last_transition_time(), now);
  }
  return changed;
}

}  // namespace windlass::controllers::node_lifecycle
