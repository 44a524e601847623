#include "engine/pods/scaling.h"

#include <algorithm>

namespace windlass::engine {
namespace {

int64_t missing_pods(const State& state) {
  const Tally& tally = state.tally();
  const int64_t unfinished = state.facts().only_failed ? tally.terminating : 0;
  return std::max<int64_t>(0, wanted_active(state) - tally.active - unfinished);
}

}  // namespace

int64_t wanted_active(const State& state) {
  const JobSpec& spec = state.job().spec;
  const int64_t parallelism = std::max(spec.parallelism, 0);
  if (spec.suspend) {
    return 0;
  }
  if (!spec.completions) {
    return state.succeeded_since_resume() > 0 ? state.tally().active : parallelism;
  }
  return std::clamp<int64_t>(*spec.completions - state.succeeded(), 0, parallelism);
}

void condemn_surplus(State& state) {
  const int64_t surplus = state.tally().active - wanted_active(state);
  if (surplus <= 0 || state.job().spec.suspend || state.has(Todo::remove) ||
      state.has(Todo::record)) {
    return;
  }
  std::vector<Slot> active;
  for (Slot slot = 0; slot < state.pods().end(); ++slot) {
    if (state.pods().at(slot).in_use && state.pods().at(slot).is_active()) {
      active.push_back(slot);
    }
  }
  const auto before = [&state](Slot a, Slot b) {
    return remove_before(state.pods().at(a), state.pods().at(b));
  };
  std::nth_element(active.begin(), active.begin() + surplus - 1, active.end(), before);
  active.resize(static_cast<size_t>(surplus));
  std::sort(active.begin(), active.end(), before);
  for (const Slot slot : active) {
    state.condemn(slot);
  }
}

PodWrite removal_step(const State& state, Slot slot) {
  const PodRecord& pod = state.pods().at(slot);
  PodWrite write{PodOp::delete_pod, state.uid_text(slot), state.pods().name(slot), 0};
  if (state.facts().decided() || !pod.has_finalizer || pod.dropped) {
    return write;
  }
  if (!has_valid_index(pod, state.facts())) {
    write.op = PodOp::release;
  } else {
    write.op = pod.has_node ? PodOp::drop : PodOp::release;
    write.required_rv = pod.rv;  // it may have been bound since, or have ended: that is the Job's
  }
  return write;
}

CreatePlan plan_creates(State& state, const JobRecord& record, Time now, int64_t limit) {
  CreatePlan plan;
  const int64_t missing = missing_pods(state);
  plan.wanted = missing > 0;
  if (missing == 0) {
    return plan;
  }
  const Facts& facts = state.facts();
  if (!facts.per_index) {
    if (const Time ready = record.delay(state.job().spec, state.options()).at; ready > now) {
      plan.wake_at = ready;
      return plan;
    }
  }
  const std::string& name = state.job().name;
  if (!facts.indexed) {
    plan.pods.assign(static_cast<size_t>(std::min(missing, limit)), plan_pod(name));
    return plan;
  }
  const int64_t most_cooling =
      std::max(state.job().spec.parallelism, state.options().max_cooling_indexes);
  const bool fresh = state.indexes().cooling() < most_cooling;
  for (const int64_t index : state.indexes().pending(std::min(missing, limit), fresh)) {
    PodPlan pod = plan_indexed_pod(name, index);
    if (facts.per_index) {
      annotate_failures(pod, state.index_failures(index));
    }
    plan.pods.push_back(std::move(pod));
  }
  plan.wake_at = state.indexes().next_ready();
  return plan;
}

const char* creation_reason(const State& state) {
  const bool failed = state.failed() > 0;
  if (!state.options().gates.pod_replacement_policy) {
    return "new";
  }
  if (state.facts().only_failed && failed) {
    return "recreate_failed";
  }
  return failed || state.tally().terminating > 0 ? "recreate_terminating_or_failed" : "new";
}

}  // namespace windlass::engine
