// The life of one pod on a hollow node: its containers start, run and end on time, or as they are
// told, with everything a kubelet would say on the way. No I/O: it is asked to move on to a moment,
// and answers what the pod's status is then and when it has to be asked again.
//
// Owned by HollowPods. Time passes by the monotonic clock; wall time is only what is reported, and
// what a node that starts anew has to go by.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "node/clock_reading.h"
#include "node/container/container_flow.h"
#include "node/hollow/behavior.h"
#include "node/hollow/pod_spec.h"
#include "node/pod/pod_status.h"

namespace windlass::node::hollow {

class HollowPod {
 public:
  HollowPod(std::shared_ptr<const PodSpec> spec, Behavior behavior, const PodSeen& seen,
            ClockReading now);

  // Everything that is due by now happens.
  void advance(ClockReading now);
  // SIGTERM, and SIGKILL after `grace`, which a later call may only shorten (disruption.md K-30).
  // `why` counts if nothing ended it before.
  void end(Duration grace, std::optional<ForcedEnd> why, ClockReading now);

  // When advance() has something to do; nothing: only when told.
  std::optional<MonotonicTime> next() const { return next_; }
  // Changes whenever the status does.
  uint64_t revision() const { return revision_; }
  PodStatusView status() const;
  bool finished() const { return finished_; }
  const PodSpec& spec() const { return *spec_; }
  const Behavior& behavior() const { return behavior_; }
  Time start_time() const { return start_time_; }

 private:
  enum class Ending { none, by_itself, told };

  // How a running container will end, as things stand.
  struct Fate {
    std::optional<MonotonicTime> at;
    int exit_code = 0;
    const char* reason = nullptr;  // nullptr: by the exit code
  };

  void adopt(const PodSeen& seen, ClockReading now);
  bool start_due(ClockReading now);
  void start(size_t number, ClockReading now);
  bool end_due(ClockReading now);
  void end_container(size_t number, ClockReading now);
  void terminate(size_t number, ClockReading now);
  void stop_sidecars(ClockReading now);
  void finish();
  void plan_next();
  Fate natural_fate(const ContainerRun& container, bool init, Duration already,
                    MonotonicTime now) const;
  // K-80, K-60, K-73: when the node itself ends the pod.
  void end_by_node(ClockReading now);

  std::shared_ptr<const PodSpec> spec_;
  Behavior behavior_;
  PodRun run_;
  std::vector<Fate> fates_;  // by container number
  Ending ending_ = Ending::none;
  std::optional<ForcedEnd> forced_;
  bool set_up_ = false;
  bool finished_ = false;
  Time start_time_{};
  std::optional<MonotonicTime> starts_at_;     // containers wait for it
  std::optional<MonotonicTime> node_ends_at_;  // by End
  std::optional<MonotonicTime> deadline_at_;   // activeDeadlineSeconds
  std::optional<MonotonicTime> kill_at_;       // SIGKILL
  std::optional<MonotonicTime> look_again_;    // a restart is due
  std::optional<MonotonicTime> next_;
  uint64_t revision_ = 1;
};

}  // namespace windlass::node::hollow
