#include "node/probes/probe_state.h"

#include <algorithm>

namespace windlass::node {
namespace {

constexpr std::array kKinds = {ProbeKind::startup, ProbeKind::liveness, ProbeKind::readiness};

}  // namespace

ProbeState::ProbeState(const ContainerChecks& checks, MonotonicTime run_start, Before before)
    : run_start_(run_start),
      started_(!checks.startup || before.started),
      ready_(!checks.readiness || before.ready) {
  const std::array<const std::optional<ProbePlan>*, 3> plans = {&checks.startup, &checks.liveness,
                                                                &checks.readiness};
  for (size_t i = 0; i < tracks_.size(); ++i) {
    if (*plans[i]) {
      tracks_[i].plan = &**plans[i];
      tracks_[i].due = run_start + tracks_[i].plan->initial_delay;
    }
  }
}

bool ProbeState::asks(ProbeKind kind) const {
  const Track& track = tracks_[static_cast<size_t>(kind)];
  return track.plan != nullptr && !killed_ && (kind == ProbeKind::startup) != started_;
}

bool ProbeState::idle() const {
  return std::none_of(kKinds.begin(), kKinds.end(), [this](ProbeKind kind) { return asks(kind); });
}

std::vector<ProbeKind> ProbeState::take_due(MonotonicTime now) {
  std::vector<ProbeKind> due;
  for (const ProbeKind kind : kKinds) {
    Track& each = track(kind);
    if (asks(kind) && !each.under_way && each.due <= now) {
      each.under_way = true;
      each.due = now + each.plan->period;
      due.push_back(kind);
    }
  }
  return due;
}

std::optional<MonotonicTime> ProbeState::next_due() const {
  std::optional<MonotonicTime> next;
  for (const ProbeKind kind : kKinds) {
    const Track& each = tracks_[static_cast<size_t>(kind)];
    if (asks(kind) && !each.under_way) {
      next = std::min(next.value_or(each.due), each.due);
    }
  }
  return next;
}

void ProbeState::pass_startup(MonotonicTime now) {
  started_ = true;
  for (const ProbeKind kind : {ProbeKind::liveness, ProbeKind::readiness}) {
    if (track(kind).plan != nullptr) {
      track(kind).due = std::max(now, run_start_ + track(kind).plan->initial_delay);
    }
  }
}

ProbeState::Effect ProbeState::record(ProbeKind kind, ProbeAnswer answer, MonotonicTime now) {
  Track& each = track(kind);
  each.under_way = false;
  if (!asks(kind) || answer == ProbeAnswer::none) {
    return Effect::none;
  }
  each.in_a_row = each.last == answer ? each.in_a_row + 1 : 1;
  each.last = answer;
  const bool good = answer == ProbeAnswer::success;
  if (each.in_a_row < (good ? each.plan->success_threshold : each.plan->failure_threshold)) {
    return Effect::none;
  }
  if (kind == ProbeKind::readiness) {
    const bool changed = ready_ != good;
    ready_ = good;
    return changed ? Effect::changed : Effect::none;
  }
  if (!good) {
    killed_ = true;
    return Effect::kill;
  }
  if (kind == ProbeKind::liveness) {
    return Effect::none;
  }
  pass_startup(now);
  return Effect::changed;
}

}  // namespace windlass::node
