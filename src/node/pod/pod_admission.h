// Decides which new pods a node takes, in the order in which they were made, and makes room for
// critical ones (disruption.md 7.1, 7.7). The rules are in admission.h. Owned by the agent, on its
// executor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/containers.h"
#include "node/config.h"
#include "node/node_watch.h"
#include "node/pod/admission.h"
#include "node/pod/pod_status_writer.h"
#include "node/pod/pod_workers.h"
#include "node/pressure/pressure_tracker.h"
#include "node/shutdown/shutdown_manager.h"

namespace windlass::node {

class PodAdmission {
 public:
  struct Host {
    const AgentConfig& config;
    PodWorkers& workers;
    NodeWatch& node;
    const env::ContainerSupport& support;
    const pressure::Conditions& pressure;
    const ShutdownManager& shutdown;
    // The pod as the API shows it now, or null.
    std::function<const BoundPod*(const std::string& ns, const std::string& name)> find;
    std::function<void(const BoundPod& pod)> run;
  };

  explicit PodAdmission(Host host);
  PodAdmission(const PodAdmission&) = delete;
  PodAdmission& operator=(const PodAdmission&) = delete;

  // Keeps a new pod until it is known which other pods are there.
  void defer(const BoundPod& pod) { deferred_.push_back(pod); }
  // Those pods, in their order (K-1).
  std::vector<BoundPod> take_deferred();
  // Runs the pod, rejects it, or holds it until there is room.
  void admit(const BoundPod& pod) { admit(pod, false); }
  // The requests of this pod, which runs, count.
  void count(const std::string& uid) { counted_.insert(uid); }
  // A pod has ended: held pods may have their room.
  void retry_held();
  // Takes no pod any more.
  void close() { closed_ = true; }

 private:
  // A critical pod until the pods are gone that make room for it.
  struct HeldPod {
    PodIdentity pod;
    std::vector<std::string> victims;
  };

  NodeRoom room();
  void admit(const BoundPod& pod, bool node_is_fresh);
  void admit_again(const PodIdentity& pod, bool node_is_fresh);
  std::optional<Rejection> refuse(const PodSpecView& pod, const NodeRoom& room) const;
  void make_room(const BoundPod& pod, const std::vector<Shortage>& shortages);

  Host host_;
  placement::Resources allocatable_;
  int64_t max_pods_ = 0;
  std::vector<BoundPod> deferred_;
  std::map<std::string, HeldPod> held_;  // by UID
  std::set<std::string> awaiting_node_;  // UIDs of pods for which the Node is read anew
  std::set<std::string> counted_;        // UIDs of pods whose requests count
  bool closed_ = false;
};

}  // namespace windlass::node
