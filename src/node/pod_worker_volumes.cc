// The pod worker's volumes and the objects they and its containers need: made before anything
// starts, and kept up to date while something runs.
#include <utility>

#include "node/container_flow.h"
#include "node/pod_worker.h"

namespace windlass::node {
namespace {

constexpr Duration kSetUpRetry = seconds(10);
constexpr size_t kMaxWarnings = 10;

}  // namespace

// The reader of one is told enough to look for the others.
void PodWorker::warn_of_ignored() {
  size_t warnings = 0;
  for (const api::UnsupportedField& field : plan_.unsupported) {
    if (field.effect == api::UnsupportedField::Effect::ignored && ++warnings <= kMaxWarnings) {
      host_.events.warning(pod_target(), "UnsupportedField", field.text());
    }
  }
}

void PodWorker::set_up() {
  // Where there are mounts, the first container finds its directory made: that takes long, and
  // there it holds up nobody else.
  const Result<void> made = host_.support.mounts ? Result<void>() : files_.make_work();
  if (!made) {
    host_.env.log.warning("a pod's directory cannot be made",
                          {{"pod", plan_.ns + "/" + plan_.name}, {"error", made.error().message}});
    report();
    schedule(step_timer_, kSetUpRetry, &PodWorker::set_up);
    return;
  }
  bool has_run = false;
  for (size_t i = 0; i < container_count(run_); ++i) {
    has_run = has_run || container_at(run_, i).ever_started;
  }
  setup_.prepare(has_run, [this](const Result<void>& prepared) { on_prepared(prepared); });
}

void PodWorker::on_prepared(const Result<void>& prepared) {
  if (ending_ != Ending::none) {
    return;
  }
  if (!prepared) {
    host_.events.warning(pod_target(), "FailedMount", prepared.error().message);
    report();
    schedule(step_timer_, kSetUpRetry, &PodWorker::set_up);
    return;
  }
  set_up_ = true;
  resume_checks();
  update_fields();  // they may have changed while no agent was there
  refresh_later();
  advance();
}

void PodWorker::refresh_later() {
  if (setup_.has_objects_in_volumes()) {
    schedule(refresh_timer_, host_.config.volume_refresh, &PodWorker::refresh);
  }
}

// What others write to ConfigMaps and Secrets reaches the volumes of pods that run.
void PodWorker::refresh() {
  if (ending_ != Ending::none) {
    return;
  }
  if (reading_) {
    refresh_later();
    return;
  }
  reading_ = true;
  setup_.refresh([this](const Result<void>& refreshed) {
    reading_ = false;
    if (ending_ != Ending::none) {
      return;
    }
    if (!refreshed) {
      host_.events.warning(pod_target(), "FailedMount", refreshed.error().message);
    }
    refresh_later();
    advance();
  });
}

// What containers need is there; objects that were missing are looked for again first.
bool PodWorker::may_start_now() {
  if (!set_up_ || reading_) {
    return false;
  }
  if (std::exchange(objects_stale_, false)) {
    reading_ = true;
    setup_.read_objects([this](const Result<void>&) {
      reading_ = false;
      if (ending_ == Ending::none) {
        advance();
      }
    });
    return false;
  }
  return true;
}

void PodWorker::take_up(const PodPlan& now) {
  if (plan_.active_deadline != now.active_deadline) {
    plan_.active_deadline = now.active_deadline;
    await_deadline();
  }
  if (plan_.labels == now.labels && plan_.annotations == now.annotations) {
    return;
  }
  plan_.labels = now.labels;
  plan_.annotations = now.annotations;
  update_fields();
  unblock();
}

// What a container could not be made of may have been one of these fields.
void PodWorker::unblock() {
  if (!set_up_ || ending_ != Ending::none) {
    return;
  }
  bool any = false;
  for (size_t i = 0; i < container_count(run_); ++i) {
    ContainerRun& run = container_at(run_, i);
    if (std::exchange(run.blocked, false)) {
      run.restart_at.reset();
      any = true;
    }
  }
  if (any) {
    advance();
  }
}

void PodWorker::update_fields() {
  if (!set_up_ || ending_ != Ending::none) {
    return;
  }
  if (const Result<void> updated = setup_.update_fields(); !updated) {
    host_.events.warning(pod_target(), "FailedMount", updated.error().message);
  }
}

}  // namespace windlass::node
