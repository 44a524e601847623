// What a hollow node makes of a pod: when its containers start, how long they run, how they end.
// Comes from the pod's annotations, or from a seeded mix for what they leave open. The same pod
// gets the same life from the same seed, also after a restart. Pure functions of plain values.
//
//   windlass.dev/hollow-start-delay     5s, or `never`: how long an image is pulled
//   windlass.dev/hollow-duration        90s, or `forever`
//   windlass.dev/hollow-exit-code       3, or by container: main=3,setup=1
//   windlass.dev/hollow-term-delay      2s from SIGTERM to the end, or `never`: waits for SIGKILL
//   windlass.dev/hollow-term-exit-code  143
//   windlass.dev/hollow-end             exit, oom, evicted, local-storage, shutdown, preempted
//   windlass.dev/hollow-condition       conditions written with the end: DiskBroken, Healthy=False
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "node/hollow/pod_spec.h"
#include "node/pod/pod_status.h"

namespace windlass::node::hollow {

// Why a container ends when its time is over.
enum class End { exit, oom, evicted, local_storage, shutdown, preempted };

struct Behavior {
  std::optional<Duration> start_delay = Duration::zero();  // nothing: never starts
  std::optional<Duration> duration = seconds(1);           // nothing: until it is told to end
  int exit_code = 0;
  std::map<std::string, int, std::less<>> exit_codes = {};  // of containers that differ
  std::optional<Duration> term_delay = Duration::zero();    // nothing: ignores SIGTERM
  int term_exit_code = 143;
  End end = End::exit;
  std::vector<ConditionView> conditions = {};
  std::string error = {};  // an annotation cannot be read: the containers are never started
};

// The lives of pods that say nothing themselves.
struct Mix {
  uint64_t seed = 1;
  Duration shortest = seconds(1);
  Duration longest = seconds(1);
  int percent_failing = 0;
  int exit_code = 1;  // of those that fail

  bool operator==(const Mix&) const = default;
};

// `duration=1s..5s,fail=10%,exit-code=42,seed=7`, each of them optional.
Result<Mix> parse_mix(std::string_view text);

Behavior behavior_of(const PodSpec& pod, const Mix& mix);

// What the node says when it ends a pod for this reason; nothing for exit and oom.
std::optional<ForcedEnd> forced_end(End end);

}  // namespace windlass::node::hollow
