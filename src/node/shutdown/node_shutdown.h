// Ends the pods of a node group by group when it shuts down (disruption.md K-73): the next group
// begins when all of the one before are over, or its time is. Groups without pods take no time.
//
// Owned by the agent, on its executor; nothing is called after destruction. Knows pods by UID only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "env/executor.h"
#include "node/shutdown/shutdown_groups.h"

namespace windlass::node {

class NodeShutdown {
 public:
  struct Pod {
    std::string uid;
    int64_t priority = 0;
  };
  struct Host {
    env::Executor& executor;
    // Those of which something may still run, at this moment.
    std::function<std::vector<Pod>()> pods;
    // To end within `grace`, or its own if that is less.
    std::function<void(const std::string& uid, Duration grace)> stop;
  };

  NodeShutdown(Host host, ShutdownGroups groups);
  ~NodeShutdown();
  NodeShutdown(const NodeShutdown&) = delete;
  NodeShutdown& operator=(const NodeShutdown&) = delete;

  bool active() const { return active_; }
  // Begins with the first group; while it is active, does nothing.
  void begin();
  // A pod has ended.
  void look_again();
  // What has been told to end ends; the others go on.
  void cancel();

 private:
  void start_groups();
  std::vector<Pod> pods_of_group() const;

  Host host_;
  const ShutdownGroups groups_;
  bool active_ = false;
  size_t group_ = 0;  // the next one, or the one under way
  bool under_way_ = false;
  env::TimerId timer_ = env::TimerId::none;
};

}  // namespace windlass::node
