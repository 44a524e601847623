// The configuration of a node agent, and the interface of its observer. Plain values, given once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "env/containers.h"
#include "images/catalog/image_puller.h"
#include "node/container/container_flow.h"
#include "node/pressure/thresholds.h"
#include "node/shutdown/node_shutdown.h"

namespace windlass::node {

struct HeartbeatTiming {
  Duration period = seconds(10);
  Duration lease = seconds(40);
};

// What a node tells of its machine in status.nodeInfo; "" is left out.
struct NodeSystem {
  std::string architecture = "amd64";  // as Go names it
  std::string version = {};            // kubeletVersion
  std::string os_image = {};           // Debian GNU/Linux 12 (bookworm)
  std::string kernel_version = {};
  std::string machine_id = {};
  std::string system_uuid = {};
  std::string boot_id = {};
};

// Hears what containers took, on the agent's executor, before their end is in the pod's status.
using OnContainerUse = std::function<void(const std::string& pod_uid, const std::string& container,
                                          const env::ContainerExit& exit)>;

// Which containers run on the root of the machine: those whose image is `host`, always.
struct HostRoot {
  bool for_missing_images = false;  // and those whose image is not in the store; nothing is pulled
  bool writable = false;            // otherwise only /tmp, volumes and the working directory

  bool operator==(const HostRoot&) const = default;
};

// What a node lets containers have.
struct NodeProtection {
  bool allow_privileged = false;
  size_t max_pids = 0;  // of each container; 0 is no limit

  bool operator==(const NodeProtection&) const = default;
};

struct AgentConfig {
  std::string node_name;
  std::string address = "127.0.0.1";  // of the node and, without network namespaces, of its pods
  std::string data_dir;               // pods/<uid> and logs/ appear below it
  std::map<std::string, std::string> capacity = {{"cpu", "1"}, {"memory", "1Gi"}, {"pods", "110"}};
  std::string operating_system = "linux";
  NodeSystem system = {};
  std::string runtime = "windlass://processes";
  // On the Node object, besides those that every node has.
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};
  std::vector<std::string> base_environment = {
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"};
  std::string image_dir = {};  // of an images::ImageCatalog; "" is none
  // Hidden from containers on the host's root: credentials, the store, other pods.
  std::vector<std::string> private_directories = {};
  HostRoot host_root = {};
  NodeProtection protection = {};
  images::ImagePuller* image_puller = nullptr;  // outlives the agent; without it nothing is pulled
  RestartTiming restart;
  HeartbeatTiming heartbeats;
  Duration storage_check = seconds(10);  // K-62
  Duration volume_refresh = minutes(1);  // of volumes made of ConfigMaps and Secrets
  // The least time between SIGTERM and SIGKILL, however short the grace (disruption.md K-31).
  Duration minimum_grace = seconds(2);
  ShutdownGroups shutdown;
  pressure::EvictionConfig pressure = {};  // without thresholds no pod is evicted for pressure
  bool keep_logs = false;                  // also after the pod is gone
  bool disruption_conditions = true;       // gate PodDisruptionConditions
  OnContainerUse on_container_use = {};
};

// What a node says of itself beyond being there (disruption.md K-58, K-72).
struct NodeHealth {
  bool memory_pressure = false;
  bool disk_pressure = false;
  bool pid_pressure = false;
  bool shutting_down = false;

  bool operator==(const NodeHealth&) const = default;
};

// One run of a container and where its output goes.
struct ContainerLog {
  std::string ns;
  std::string pod;
  std::string pod_uid;
  std::string container;
  int restart = 0;
  std::string path;
};

// Hears of containers on the agent's executor, for `windlass run --logs` and progress.
class ContainerObserver {
 public:
  virtual ~ContainerObserver() = default;
  virtual void on_container_started(const ContainerLog& log) = 0;
  // Everything the container wrote is in the file by now.
  virtual void on_container_ended(const ContainerLog& log, int exit_code) = 0;
};

}  // namespace windlass::node
