// What a PodLifecycle tells its shell, the PodWorker, to do. Plain values, to be carried out in
// their order. Containers have numbers: init containers first, in order, then the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "node/pod/pod_status.h"
#include "node/probes/probe_state.h"

namespace windlass::node {

enum class PodTimer : uint8_t {
  set_up,    // try again to prepare what containers need
  start,     // a restart is due
  deadline,  // activeDeadlineSeconds
  refresh,   // look at ConfigMaps and Secrets again
};
inline constexpr size_t kPodTimers = 4;

// Replaces the timer that runs.
struct SetPodTimer {
  PodTimer timer;
  Duration delay;
};
struct CancelPodTimer {
  PodTimer timer;
};

// Make the working directory, read the objects, make the volumes; answer set_up_done().
struct SetUpPod {
  bool has_run = false;  // its volumes have content to keep
};
// Read the objects again; answer objects_read().
struct ReadPodObjects {};
// Read the objects again and update the volumes made of them; answer volumes_refreshed().
struct RefreshVolumes {};
// Update the volumes made of the pod's own fields; answer fields_updated().
struct UpdateFieldVolumes {};

// Ask the supervisor for the container's next run; answer start_answered() at once, and
// container_started() when the supervisor has answered.
struct StartContainer {
  size_t container = 0;
};
// Wait for the end of a run that an earlier agent started.
struct AttachContainer {
  size_t container = 0;
};
// Answer post_start_done().
struct RunPostStart {
  size_t container = 0;
};
struct BeginProbes {
  size_t container = 0;
  Duration age{};  // of the run
  ProbeState::Before before = {};
};
struct EndProbes {
  size_t container = 0;
};
// Run the preStop hook; the container has this much time, or less if it was told less before.
struct StopContainer {
  size_t container = 0;
  Duration grace{};
};
// Its turn for the stop signal, once its hook is over.
struct SignalContainer {
  size_t container = 0;
};
struct KillRun {
  std::string id;
};
// The supervisor no longer needs to remember how it ended.
struct ForgetRun {
  std::string id;
};

// Drop all timers, probes and postStart hooks.
struct CancelPending {};

struct WritePodStatus {
  PodStatusView view;
};
// Delete the object with grace 0, after every status before this one.
struct RemovePodObject {};
struct EmitPodEvent {
  bool warning = false;
  std::optional<size_t> container;  // about this one; without it, about the pod
  std::string reason;
  std::string message;
};

// Remove the working directory, volumes and layers.
struct RemoveWorkFiles {};
struct RemoveLogs {};
// Tell the agent that the worker is done.
struct ReportPodDone {};

using PodAction = std::variant<SetPodTimer, CancelPodTimer, SetUpPod, ReadPodObjects,
                               RefreshVolumes, UpdateFieldVolumes, StartContainer, AttachContainer,
                               RunPostStart, BeginProbes, EndProbes, StopContainer, SignalContainer,
                               KillRun, ForgetRun, CancelPending, WritePodStatus, RemovePodObject,
                               EmitPodEvent, RemoveWorkFiles, RemoveLogs, ReportPodDone>;

// What came of StartContainer, before the supervisor has answered.
struct ContainerAsked {
  std::string image_id;
};
// The image is not there; look again at `until`.
struct ImageMissing {
  Waiting why;
  MonotonicTime until;
  std::vector<std::string> warnings;
};
// Its request cannot be made: an object or field it needs is missing or invalid.
struct ContainerInvalid {
  Status why;
};
// This machine could not start it now.
struct ContainerNotCreated {
  Status why;
};
using ContainerStartAnswer =
    std::variant<ContainerAsked, ImageMissing, ContainerInvalid, ContainerNotCreated>;

}  // namespace windlass::node
