// What the node life cycle keeps of Nodes, and the taints that a Node should have (disruption.md
// N-5, N-6). Plain data and pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "api/node/node_reading.h"
#include "api/object.h"
#include "base/time.h"

namespace windlass::controllers::node_lifecycle {

struct NodeView {
  std::string name = {};
  std::string uid = {};
  std::string zone = {};  // region and zone; nodes without labels share one
  api::NodeReady ready = api::NodeReady::never_posted;
  std::string heartbeat = {};    // whatever changes when the node posts its status
  bool evicting = false;         // has the NoExecute taint of not-ready or unreachable
  bool taints_are_right = true;  // what correct_taints() without orders would leave alone
};

NodeView read_node(const api::Message& node);

// What the controller wants beyond what follows from the conditions.
struct TaintOrders {
  bool add_no_execute = false;     // its turn has come (N-6)
  bool remove_no_execute = false;  // no zone is left: no pod is evicted (N-7)
};

// Brings the taints in line with the conditions: NoSchedule ones are added and removed; of the
// NoExecute ones a wrong one is swapped and a needless one removed, but none is added without
// orders. False when nothing changed.
bool correct_taints(api::Message& node, const TaintOrders& orders, Time now);

// N-3: the conditions of a node that says nothing any more become Unknown. False when nothing
// changed.
bool mark_unknown(api::Message& node, Time now);

}  // namespace windlass::controllers::node_lifecycle
