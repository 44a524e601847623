// What a node agent needs of a Pod object, as plain values: the part of the spec that never
// changes, with labels and annotations, which do (PodSpecView), and what the API says about the pod
// at a moment (PodSeen). Read from the message once per change; nothing else in this folder looks
// at a pod's spec.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "api/pod/warnings/unsupported_fields.h"
#include "base/time.h"
#include "env/containers.h"
#include "node/container/container_run.h"
#include "node/container/handler_plan.h"
#include "node/volumes/network_files.h"
#include "node/volumes/volume_plan.h"
#include "placement/needs.h"

namespace windlass::node {

enum class QosClass { best_effort, burstable, guaranteed };  // of service (C-11)

// Amounts by resource name, in thousandths of the unit (cpu: millicores, memory: bytes / 1000).
using MilliAmounts = std::map<std::string, int64_t, std::less<>>;

struct EnvironmentEntry {
  enum class Source { value, field, resource, config_map, secret, file };

  std::string name;
  Source source = Source::value;
  std::string text;       // the value, the field path, the resource, or the object's name
  std::string container;  // resource: of this container, "" for its own
  int64_t milli_divisor = 1000;
  std::string key = {};  // of a config map or secret
  bool optional = false;
};

// envFrom: all of an object's keys.
struct EnvironmentBatch {
  ObjectName object;
  std::string prefix;
  bool optional = false;
};

struct MountPlan {
  std::string volume;
  std::string path;
  std::string sub_path;       // "" is the whole volume
  std::string sub_path_expr;  // instead of it, with $(NAME)
  bool read_only = false;
};

// The user and groups of a container's processes.
struct IdentityPlan {
  std::optional<uint32_t> user;
  std::optional<uint32_t> group;
  std::vector<uint32_t> more_groups;
  bool privileged = false;
  bool non_root = false;  // refused as root
};

enum class PullPolicy : uint8_t { if_not_present, always, never };

struct ContainerSpecView {
  std::string name;
  std::string image;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::string working_dir;
  std::vector<EnvironmentEntry> environment;
  std::vector<EnvironmentBatch> environment_from;
  std::vector<MountPlan> mounts;
  IdentityPlan identity;
  MilliAmounts limits;
  MilliAmounts requests;
  ContainerChecks checks;
  std::string storage_limit;      // ephemeral-storage, as it was written
  std::string message_path;       // terminationMessagePath
  bool message_from_log = false;  // terminationMessagePolicy FallbackToLogsOnError
  PullPolicy pull_policy = PullPolicy::if_not_present;
  bool sidecar = false;  // an init container with restartPolicy Always
  OwnRestart restart;
  env::ContainerConfinement confinement;
  env::ContainerBoundary boundary;  // without what the node hides
  bool asks_for_filter = false;     // seccompProfile RuntimeDefault; without it, it is a default
};

struct PodSpecView {
  std::string ns;
  std::string name;
  std::string uid;
  std::map<std::string, std::string, std::less<>> labels;
  std::map<std::string, std::string, std::less<>> annotations;
  std::string node_name;
  std::string service_account;
  int32_t priority = 0;  // C-10
  QosClass qos_class = QosClass::burstable;
  std::string hostname;
  std::string operating_system;  // spec.os; "" where it does not say
  placement::PodNeeds needs;
  std::optional<uint32_t> fs_group;  // of its volumes
  RestartPolicy restart_policy = RestartPolicy::always;
  Duration grace = seconds(30);
  std::optional<Duration> active_deadline;
  std::vector<HostAliasPlan> host_aliases;
  std::optional<DnsPlan> dns;  // where it is not the machine's
  std::vector<VolumePlan> volumes;
  std::vector<std::string> pull_secrets;  // names of imagePullSecrets
  std::vector<api::UnsupportedField> unsupported;
  std::vector<ContainerSpecView> init_containers;
  std::vector<ContainerSpecView> containers;
};

// A container status as it was last written, for an agent that starts anew.
struct SeenContainer {
  std::string name;
  ContainerState state;
  std::optional<Terminated> last;
  int restarts = 0;
  std::string container_id;
  bool started = false;
  bool ready = false;
  std::string image_id = {};
};

struct PodSeen {
  std::string phase;
  bool deleting = false;
  Duration deletion_grace{};
  Time created{};
  std::optional<Time> start_time;
  std::vector<SeenContainer> containers;  // init containers too
  int64_t generation = 0;
  std::vector<std::string> gates = {};  // status of each readiness gate's condition, "" without one
  bool ready = false;                   // its own condition, as the API has it
};

bool is_terminal_phase(std::string_view phase);

PodSpecView read_spec(const api::Message& pod);
PodSeen read_seen(const api::Message& pod);

}  // namespace windlass::node
