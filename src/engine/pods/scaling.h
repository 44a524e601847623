// How many pods a Job should have now, which surplus ones to remove, and which to create
// (job-controller.md 3). Reads the state; condemning surplus pods is the only change it makes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/decision.h"
#include "engine/state/state.h"

namespace windlass::engine {

// 3.3, 3.4.
int64_t wanted_active(const State& state);

// Condemns the active pods beyond wanted_active(), lowest rank first. They come out of the state's
// queue of pods to remove. Does nothing while pods wait for removal already.
void condemn_surplus(State& state);

// How to take a pod away that the Job no longer wants. Its outcome still counts if it succeeds in
// its grace period (10.79), and a failure in it is not the Job's (10.75); so unless it can have no
// outcome, it is marked before it is deleted and keeps its finalizer. The mark is for the version
// that was seen alone: how a pod ended before it was marked is the Job's in every respect.
PodWrite removal_step(const State& state, Slot slot);

struct CreatePlan {
  std::vector<PodPlan> pods;
  bool wanted = false;          // more pods are wanted than run
  std::optional<Time> wake_at;  // when a back-off ends that stands in the way
};

// At most `limit` pods. `record` is as it will be stored with what is being accounted now.
CreatePlan plan_creates(State& state, const JobRecord& record, Time now, int64_t limit);

// job_pods_creation_total, label reason (3.26).
const char* creation_reason(const State& state);

}  // namespace windlass::engine
