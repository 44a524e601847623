// Knows whether a node shuts down, and why: its Node object orders it, or its machine goes down
// (disruption.md K-70 to K-74). Ends its pods group by group (NodeShutdown), and keeps a mark on
// the disk so that an agent that is killed meanwhile goes on with it.
//
// Owned by the agent, on its executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/env.h"
#include "node/config.h"
#include "node/container/known_runs.h"
#include "node/shutdown/node_shutdown.h"
#include "node/shutdown/shutdown_mark.h"

namespace windlass::node {

class ShutdownManager {
 public:
  struct Host {
    env::Env env;
    // Those of which something may still run, at this moment.
    std::function<std::vector<NodeShutdown::Pod>()> pods;
    // To end within `grace`, or its own if that is less.
    std::function<void(const std::string& uid, Duration grace)> stop;
    std::function<void(const std::string& message)> emit_event;
    // active() has changed.
    std::function<void()> on_change;
  };

  ShutdownManager(Host host, const AgentConfig& config);
  ShutdownManager(const ShutdownManager&) = delete;
  ShutdownManager& operator=(const ShutdownManager&) = delete;

  // Reads what an earlier agent left on the disk.
  void load();
  // From now on the node's pods are known: before that they cannot be ended properly.
  void begin();

  void set_ordered(bool ordered);
  void set_machine_down(bool down);
  bool machine_down() const { return machine_down_; }
  bool active() const { return groups_.active(); }

  // Whether a shutdown that an earlier agent began ends, or has ended, this pod. If so, its end is
  // waited for before the mark goes.
  bool claims(const std::string& uid, const PodRuns& runs);
  void pod_done(const std::string& uid);
  // All pods are over and the API knows.
  void all_done();

 private:
  void decide();
  void clear_old_mark();
  void warn_if_failed(const Result<void>& marked);

  Host host_;
  NodeShutdown groups_;
  ShutdownMark mark_;
  std::optional<Time> earlier_;          // since when an earlier agent's machine went down
  std::set<std::string> ended_earlier_;  // UIDs of pods that it ends, until the API knows
  bool begun_ = false;
  bool ordered_ = false;
  bool machine_down_ = false;
};

}  // namespace windlass::node
