// Ends the pods of a node group by group when it shuts down (disruption.md K-73): the next group
// begins when all of the one before are over, or its time is. Groups without pods take no time.
//
// Owned by the agent, on its executor; nothing is called after destruction. Knows pods by UID only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/time.h"
#include "env/executor.h"

namespace windlass::node {

// In which order, and with how much time, the pods of a node end when it shuts down (disruption.md
// K-70, K-73). Pure functions.

// Pods of this priority or above, up to the next group's.
struct ShutdownGroup {
  int64_t priority = 0;
  Duration time{};  // that its pods have together

  bool operator==(const ShutdownGroup&) const = default;
};

// By ascending priority. None at all: every pod at once, with its own grace period.
using ShutdownGroups = std::vector<ShutdownGroup>;

inline constexpr int64_t kCriticalPriority = 2'000'000'000;  // C-10

// All pods but the critical ones in `total - critical`, then those in `critical`; without a total,
// none.
ShutdownGroups shutdown_groups(Duration total, Duration critical);

// The group of a pod: that with the largest priority not above its own, else the first.
size_t shutdown_group_of(const ShutdownGroups& groups, int64_t pod_priority);

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
