#include "scheduler/cluster/projection.h"

#include <algorithm>

#include "api/codec/wire_time.h"
#include "placement/needs.h"
#include "scheduler/cluster/read_shape.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"

namespace windlass::scheduler {
namespace {

namespace core = api::core::v1;

// "" for no taint.
std::string_view implied_taint(const core::Node& node) {
  switch (api::node_ready(node)) {
    case api::NodeReady::yes:
      return "";
    case api::NodeReady::unknown:
      return api::kUnreachableTaint;
    default:
      return api::kNotReadyTaint;
  }
}

void read_conditions(const core::PodStatus& status, PodInfo& pod) {
  for (const core::PodCondition& condition : status.conditions()) {
    if (condition.type() == "PodScheduled" && condition.status() == "False") {
      pod.unscheduled = ScheduledCondition{condition.reason(), condition.message()};
    } else if (condition.type() == "DisruptionTarget") {
      pod.preempted = condition.status() == "True" && condition.reason() == "PreemptionByScheduler";
    }
  }
}

}  // namespace

PodPtr read_pod(const api::Message& message, ShapeTable& shapes) {
  const auto& pod = static_cast<const core::Pod&>(message);
  auto out = std::make_shared<PodInfo>();
  out->ns = pod.metadata().namespace_();
  out->name = pod.metadata().name();
  out->uid = pod.metadata().uid();
  out->node = pod.spec().node_name();
  out->nominated_node = pod.status().nominated_node_name();
  out->scheduler_name = pod.spec().scheduler_name();
  out->labels = {pod.metadata().labels().begin(), pod.metadata().labels().end()};
  out->shape = shapes.find(shape_key(pod), [&pod] { return read_shape(pod); });
  if (pod.status().has_start_time()) {
    out->started = api::time_of(pod.status().start_time());
  }
  read_conditions(pod.status(), *out);
  out->deleting = pod.metadata().has_deletion_timestamp();
  out->gated = pod.spec().scheduling_gates_size() > 0;
  return out;
}

std::optional<PodPtr> read_live_pod(const api::Message& message, ShapeTable& shapes) {
  const std::string& phase = static_cast<const core::Pod&>(message).status().phase();
  if (phase == "Succeeded" || phase == "Failed") {
    return std::nullopt;
  }
  return read_pod(message, shapes);
}

NodeInfo read_node(const api::Message& message) {
  const auto& node = static_cast<const core::Node&>(message);
  NodeInfo out;
  static_cast<placement::NodeTraits&>(out) = placement::read_traits(node);
  out.unschedulable = node.spec().unschedulable();
  if (const std::string_view key = implied_taint(node); !key.empty()) {
    const Taint implied{std::string(key), "", std::string(api::kNoSchedule)};
    if (std::find(out.taints.begin(), out.taints.end(), implied) == out.taints.end()) {
      out.taints.push_back(implied);
    }
  }
  placement::read_allocatable(node.status(), out.allocatable, out.max_pods);
  return out;
}

DisruptionBudget read_budget(const api::Message& message) {
  const auto& budget = static_cast<const api::policy::v1::PodDisruptionBudget&>(message);
  DisruptionBudget out;
  out.ns = budget.metadata().namespace_();
  out.name = budget.metadata().name();
  out.selector = read_selector(budget.spec().has_selector() ? &budget.spec().selector() : nullptr);
  out.allowed = budget.status().disruptions_allowed();
  for (const auto& [pod, time] : budget.status().disrupted_pods()) {
    out.disrupted.insert(pod);
  }
  return out;
}

NamespaceInfo read_namespace(const api::Message& message) {
  const auto& ns = static_cast<const core::Namespace&>(message);
  return {ns.metadata().name(), {ns.metadata().labels().begin(), ns.metadata().labels().end()}};
}

}  // namespace windlass::scheduler
