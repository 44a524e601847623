// What a pod's status says, from the states of its containers: phase, conditions, container
// statuses, in the words of a kubelet (disruption.md 7.2, 7.3 and 13). Pure functions of plain
// values; status_message.h puts the answer into a Pod message.
//
// One difference from a kubelet: a pod that ends by itself is reported once, with its phase, not
// first with ended containers and a second later with the phase (K-35).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "node/container/container_run.h"
#include "node/pod/pod_spec_view.h"

namespace windlass::node {

// Why the agent itself ended a pod, where that is not the containers' own doing.
struct ForcedEnd {
  enum class Kind {
    failure,     // whatever the exit codes are: a deadline (K-43)
    eviction,    // success stays success: a limit of local storage (K-62, K-63)
    disruption,  // success stays success, and DisruptionTarget goes with it (K-74)
  };

  std::string reason;
  std::string message;
  Kind kind = Kind::failure;
  std::string disruption_message = {};  // of DisruptionTarget, where it is not `message` (C-1)
};

struct ConditionView {
  std::string type;
  bool status = false;
  std::string reason;
  std::string message;

  bool operator==(const ConditionView&) const = default;
};

struct ContainerStatusView {
  std::string name;
  std::string image;
  std::string image_id;
  std::string container_id;
  ContainerState state;
  std::optional<Terminated> last;
  int restarts = 0;
  bool ready = false;
  bool started = false;

  bool operator==(const ContainerStatusView&) const = default;
};

struct PodStatusView {
  std::string phase;
  std::string reason;
  std::string message;
  std::vector<ConditionView> conditions;  // the five that the agent owns, in K-39's order
  std::optional<std::string> disruption;  // message of DisruptionTarget by TerminationByKubelet
  std::vector<ContainerStatusView> init_containers;
  std::vector<ContainerStatusView> containers;
  bool has_address = true;  // of its own: it was admitted
  bool rejected = false;    // not admitted: phase, reason and message are all there is (K-2)

  int64_t generation = 0;  // of the spec that was taken up; 0 is the one that is there

  bool terminal() const { return is_terminal_phase(phase); }
};

struct StatusInput {
  const PodRun& run;
  RestartPolicy policy = RestartPolicy::never;
  bool terminating = false;  // deleted, or told to end: nothing starts any more
  std::optional<ForcedEnd> forced;
  bool set_up = false;    // the pod's directory exists: containers may start
  bool rejected = false;  // Failed before its containers were stopped (K-8)
};

PodStatusView describe(const StatusInput& input);

// How a container ended: 0 Completed, anything else Error (K-10).
std::string_view end_reason(int exit_code);

// The last word on a pod that is terminating and of which nothing runs (K-36): containers without a
// known end become 137 ContainerStatusUnknown.
void settle(PodRun& run);

// Whether the API still has what an agent has said of a pod (disruption.md K-40): a client may have
// written an older status over it, or the control plane be restored from an older copy. Pure
// functions of plain values; any thread.

// True when writing `now` again would correct the status that `seen` shows.
bool has_lost(const PodSeen& seen, const PodStatusView& now);

}  // namespace windlass::node
