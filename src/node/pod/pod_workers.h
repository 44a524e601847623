// The workers of a node's pods, by pod UID. A worker lives until its pod's object is gone and
// nothing of it runs. Owned by the agent, on its executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "node/machine_ports.h"
#include "node/pod/pod_spec_view.h"
#include "node/pod/pod_worker.h"

namespace windlass::node {

// A pod that is bound to the node, as the API shows it.
struct BoundPod {
  PodSpecView spec;
  PodSeen seen;
};

class PodWorkers {
 public:
  // `on_done` runs each time a worker has become done, which may be gone by then.
  PodWorkers(WorkerHost host, std::function<void(const std::string& uid)> on_done);
  PodWorkers(const PodWorkers&) = delete;
  PodWorkers& operator=(const PodWorkers&) = delete;

  PodWorker& add(const BoundPod& pod);
  // Where other nodes are on the same machine. Outlives it.
  void share_ports(MachinePorts& ports) { ports_ = &ports; }
  // Takes the pod's host ports; one that another node's pod has is said in an event.
  void take_ports(const PodSpecView& pod);

  PodWorker* find(const std::string& uid) const;
  // Those of which something may still run.
  std::vector<PodWorker*> live() const;
  bool all_done() const;

  void check();  // storage, and what the API has lost of their status
  void stop(Duration grace);
  void kill();

 private:
  void on_worker_done(const std::string& uid);

  WorkerHost host_;
  std::function<void(const std::string&)> on_done_;
  MachinePorts* ports_ = nullptr;
  std::map<std::string, std::unique_ptr<PodWorker>> workers_;
};

}  // namespace windlass::node
