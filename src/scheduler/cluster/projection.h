// What the scheduler keeps of Pod, Node, PodDisruptionBudget and Namespace objects. Pure but for
// the table of shapes, which belongs to the caller.
#pragma once

#include <optional>

#include "api/object.h"
#include "scheduler/cluster/budgets.h"
#include "scheduler/cluster/node_info.h"
#include "scheduler/cluster/shape_table.h"

namespace windlass::scheduler {

PodPtr read_pod(const api::Message& pod, ShapeTable& shapes);
// S-2: nothing of a pod that has ended, whatever still holds its object.
std::optional<PodPtr> read_live_pod(const api::Message& pod, ShapeTable& shapes);

// A node that is not Ready counts as tainted not-ready or unreachable, which is what the node
// life-cycle controller writes there (disruption.md N-5).
NodeInfo read_node(const api::Message& node);

DisruptionBudget read_budget(const api::Message& budget);

struct NamespaceInfo {
  std::string name;
  Labels labels;
};
NamespaceInfo read_namespace(const api::Message& ns);

}  // namespace windlass::scheduler
