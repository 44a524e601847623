// Nodes without a machine, for scale and simulation: they register, send heartbeats, take the pods
// that are bound to them and end them as told (behavior.h), with a kubelet's words, and run
// nothing. Their Node objects say so: label and annotation windlass.dev/hollow=true.
//
// A new instance with the same nodes carries on where the last one stopped: pods that ran go on.
// As with a kubelet, a Node object that is deleted is not made again until the next start.
// Lives on the client's executor; nothing is called after destruction.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "client/informer.h"
#include "node/config.h"
#include "node/heartbeats.h"
#include "node/hollow/hollow_pods.h"
#include "node/registration.h"

namespace windlass::node::hollow {

struct HollowOptions {
  std::vector<AgentConfig> nodes;  // see hollow_config()
  Script script;                   // empty: behavior_of() with `mix`
  Mix mix;
  bool disruption_conditions = true;  // gate PodDisruptionConditions
  HeartbeatTiming heartbeats;
  Duration status_period = minutes(5);  // N-1: node status, even if nothing changed
};

// One hollow node of a fleet: hollow-0, hollow-1 and so on. With zones, the label
// topology.kubernetes.io/zone says zone-0, zone-1 in turn.
AgentConfig hollow_config(size_t number, size_t zones = 0);

class HollowNodes {
 public:
  HollowNodes(client::ClientEnv env, HollowOptions options);
  ~HollowNodes();
  HollowNodes(const HollowNodes&) = delete;
  HollowNodes& operator=(const HollowNodes&) = delete;

  // `on_ready` runs once all nodes are registered and their pods are known.
  void start(std::function<void()> on_ready = {});

  // As a node that hangs or has lost its network: no heartbeat, no status, its pods live on.
  void set_silent(const std::string& node, bool silent);
  // What the node says of itself; `shutting_down` ends no pods.
  void set_health(const std::string& node, const NodeHealth& health);
  // Graceful shutdown (disruption.md K-72 to K-74): not ready, and all pods end within `grace`.
  void shut_down(const std::string& node, Duration grace);
  // The node ends one pod (namespace/name), for one of the reasons that forced_end() knows.
  bool end_pod(const std::string& key, End why);

  const HollowPods& pods() const { return pods_; }

 private:
  static constexpr size_t kMaxRegistrations = 64;  // under way
  static constexpr Duration kRetry = seconds(10);

  // What the view keeps of a node.
  struct NodeFacts {
    std::string name;
    std::string uid;
    bool as_it_should = true;  // its conditions are what we say
  };

  struct Node {
    Node(client::ClientEnv env, const AgentConfig& the_config)
        : config(the_config), registration(env, the_config) {}

    const AgentConfig& config;
    Registration registration;
    NodeHealth health;
    bool registered = false;
    bool silent = false;
    bool writing = false;
    bool again = false;  // changed since the write began
    env::TimerId timer = env::TimerId::none;
  };

  void register_next();
  void on_registered(const std::string& name);
  NodeFacts read(const api::Message& node) const;
  void on_node(const NodeFacts& node);
  void write_status(const std::string& name);
  void on_written(const std::string& name, const Result<client::ObjectPtr>& answer);
  void write_later(const std::string& name, Node& node, Duration delay);

  client::ClientEnv env_;
  HollowOptions options_;
  std::map<std::string, std::unique_ptr<Node>> nodes_;
  std::deque<std::string> to_register_;
  size_t registering_ = 0;
  size_t registered_ = 0;
  std::function<void()> on_ready_;
  Heartbeats heartbeats_;
  HollowPods pods_;
  client::Informer<NodeFacts> informer_;
  WeakSelf<HollowNodes> self_{this};
};

}  // namespace windlass::node::hollow
