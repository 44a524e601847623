#include "node/pod/pod_lifecycle.h"

#include <algorithm>
#include <utility>

#include "node/pod/pod_status.h"

namespace windlass::node {

namespace {

constexpr Duration kSetUpRetry = seconds(10);
// One warning is enough to look for the others.
constexpr size_t kMaxFieldWarnings = 10;

}  // namespace

PodLifecycle::PodLifecycle(const Options& options, PodSpecView spec, PodSeen seen)
    : options_(options),
      spec_(std::move(spec)),
      seen_(std::move(seen)),
      containers_(spec_, options_.restart, actions_) {}

std::optional<PodAction> PodLifecycle::next_action() {
  if (actions_.empty()) {
    return std::nullopt;
  }
  std::optional<PodAction> next = std::move(actions_.front());
  actions_.pop_front();
  return next;
}

void PodLifecycle::emit_event(bool warning, std::string reason, std::string message) {
  emit(EmitPodEvent{warning, std::nullopt, std::move(reason), std::move(message)});
}

void PodLifecycle::start(ClockReading now, Begin begin) {
  start_time_ = seen_.start_time.value_or(now.wall);
  active_since_ = began_at(start_time_, now.wall, now.monotonic);
  const bool over = is_terminal_phase(seen_.phase);
  if (over && !run().any_active()) {
    ending_ = Ending::by_itself;
    finished_ = true;
    rejected_ = seen_.containers.empty();
  }
  if (over || seen_.deleting) {
    observe(seen_, now);
    check_done();
    return;
  }
  if (begin == Begin::shut_down) {
    stop(spec_.grace, now);
    return;
  }
  await_deadline(now);
  size_t warnings = 0;
  for (const api::UnsupportedField& field : spec_.unsupported) {
    const bool ignored = field.effect == api::UnsupportedField::Effect::ignored;
    if (ignored && !seen_.start_time && ++warnings <= kMaxFieldWarnings) {
      emit_event(true, "UnsupportedField", field.text());
    }
  }
  emit(SetUpPod{containers_.any_has_run()});
}

void PodLifecycle::reject(const std::string& reason, const std::string& message, ClockReading now) {
  start_time_ = now.wall;
  emit_event(true, reason, message);
  ending_ = Ending::by_itself;
  finished_ = true;
  rejected_ = true;
  forced_ = ForcedEnd{reason, "Pod was rejected: " + message, ForcedEnd::Kind::failure};
  report();
}

// K-8: a deleted pod needs the end of its containers in its status before others let it go.
void PodLifecycle::complete_rejected() {
  containers_.settle();
  // The phase in the API stays, with its reason and message.
  PodStatusView view = describe({run(), spec_.restart_policy, true, ForcedEnd(), false, true});
  view.has_address = false;
  status_pending_ = true;
  emit(WritePodStatus{std::move(view)});
}

void PodLifecycle::observe(PodSeen seen, ClockReading now) {
  const bool says_more = seen_.gates != seen.gates || seen_.generation != seen.generation;
  const bool was_over = is_terminal_phase(seen_.phase);
  seen_ = std::move(seen);
  if (finished_) {
    if (seen_.deleting && std::exchange(rejected_, false)) {
      complete_rejected();
    }
    // While a grace period is on the object nothing but a delete with grace 0 removes it (C-8a).
    if (seen_.deleting && seen_.deletion_grace > Duration::zero()) {
      status_pending_ = true;
      emit(RemovePodObject{});
    }
    return;
  }
  const bool over = is_terminal_phase(seen_.phase);
  if (seen_.deleting) {
    end(Ending::told, seen_.deletion_grace, now);
  } else if (over) {
    end(Ending::told, spec_.grace, now);  // K-30: another client has ended the pod
  } else if (says_more && ending_ == Ending::none && !run().any_starting()) {
    report();
  }
  if (over && !finished_ && (!was_over || seen_.ready)) {
    report();  // K-16: not ready from now on, however long its containers take to stop
  }
}

void PodLifecycle::update_spec(const PodSpecView& now_wanted, ClockReading now) {
  if (spec_.active_deadline != now_wanted.active_deadline) {
    spec_.active_deadline = now_wanted.active_deadline;
    await_deadline(now);
  }
  if (spec_.labels == now_wanted.labels && spec_.annotations == now_wanted.annotations) {
    return;
  }
  spec_.labels = now_wanted.labels;
  spec_.annotations = now_wanted.annotations;
  if (!set_up_ || ending_ != Ending::none) {
    return;
  }
  emit(UpdateFieldVolumes{});
  if (containers_.unblock()) {
    advance(now);  // one of these fields may have been invalid for a container
  }
}

void PodLifecycle::object_gone(ClockReading now) {
  if (std::exchange(forgotten_, true)) {
    return;
  }
  if (stopped()) {
    emit(RemoveLogs{});  // a pod that runs may write more: its logs go when it has stopped
  }
  end(Ending::told, Duration::zero(), now);
  check_done();
}

void PodLifecycle::status_written() {
  status_pending_ = false;
  check_done();
}

void PodLifecycle::reconcile() {
  const bool stopping = ending_ != Ending::none && !finished_;  // its end says it all
  if (stopping || run().any_starting() || status_pending_) {
    return;
  }
  const PodStatusView now = view();
  // Of a pod that was over when this agent took it on there is nothing of its own to say.
  const bool speaks = !finished_ || now.terminal();
  if (speaks && has_lost(seen_, now)) {
    report();
  }
}

// Lets containers start that are due. Where that is decided it goes on in start_answered(), once
// the answers are known: of a container that is starting there is more to say in a moment.
void PodLifecycle::advance(ClockReading now) {
  if (finished_) {
    check_done();
    return;
  }
  if (ending_ != Ending::none) {
    go_on_ending(now);
    return;
  }
  if (containers_.awaits_start_answers()) {
    return;
  }
  const NextSteps steps = next_steps(run(), spec_.restart_policy, now.monotonic);
  if (steps.finished) {
    end(Ending::by_itself, spec_.grace, now);
    return;
  }
  if (!steps.start.empty() && may_start()) {
    containers_.start(steps.start);
    return;
  }
  if (steps.start.empty() && steps.look_again) {
    emit(SetPodTimer{PodTimer::start, *steps.look_again - now.monotonic});
  }
  if (!run().any_starting()) {
    report();
  }
}

// Containers have what they need; objects that were missing are read again first.
bool PodLifecycle::may_start() {
  if (!set_up_ || reading_objects_) {
    return false;
  }
  if (std::exchange(objects_stale_, false)) {
    reading_objects_ = true;
    emit(ReadPodObjects{});
    return false;
  }
  return true;
}

void PodLifecycle::start_answered(size_t container, const ContainerStartAnswer& answer,
                                  ClockReading now) {
  objects_stale_ = objects_stale_ || std::holds_alternative<ContainerInvalid>(answer);
  if (containers_.start_answered(container, answer, now)) {
    advance(now);
  }
}

void PodLifecycle::image_answered(size_t container, ClockReading now) {
  if (ending_ == Ending::none) {
    containers_.start_now(container);
    advance(now);
  }
}

void PodLifecycle::container_started(size_t container, const Result<void>& started,
                                     ClockReading now) {
  containers_.started(container, started, now);
  advance(now);
}

void PodLifecycle::container_exited(size_t container, const env::ContainerExit& exit,
                                    const std::string& message, ClockReading now) {
  containers_.exited(container, exit, message, now);
  advance(now);
}

void PodLifecycle::post_start_done(size_t container, bool succeeded, ClockReading now) {
  containers_.post_start_done(container, succeeded);
  if (succeeded && container_at(run(), container).started()) {
    advance(now);
  }
}

void PodLifecycle::probe_changed(size_t container, bool started, bool ready, ClockReading now) {
  containers_.probe_changed(container, started, ready);
  advance(now);
}

void PodLifecycle::work_directory_failed() {
  report();
  emit(SetPodTimer{PodTimer::set_up, kSetUpRetry});
}

void PodLifecycle::set_up_done(const Result<void>& prepared, ClockReading now) {
  if (ending_ != Ending::none) {
    return;
  }
  if (!prepared) {
    emit_event(true, "FailedMount", prepared.error().message);
    report();
    emit(SetPodTimer{PodTimer::set_up, kSetUpRetry});
    return;
  }
  set_up_ = true;
  containers_.resume_checks(seen_, now);
  emit(UpdateFieldVolumes{});  // the fields may have changed while no agent was there
  refresh_later();
  advance(now);
}

void PodLifecycle::objects_read(ClockReading now) {
  reading_objects_ = false;
  if (ending_ == Ending::none) {
    advance(now);
  }
}

// ConfigMaps and Secrets that change are updated in the volumes of running pods.
void PodLifecycle::refresh_later() {
  if (has_objects_in_volumes(spec_.volumes)) {
    emit(SetPodTimer{PodTimer::refresh, options_.volume_refresh});
  }
}

void PodLifecycle::volumes_refreshed(const Result<void>& refreshed, ClockReading now) {
  reading_objects_ = false;
  if (ending_ != Ending::none) {
    return;
  }
  fields_updated(refreshed);
  refresh_later();
  advance(now);
}

void PodLifecycle::fields_updated(const Result<void>& updated) {
  if (!updated) {
    emit_event(true, "FailedMount", updated.error().message);
  }
}

void PodLifecycle::await_deadline(ClockReading now) {
  if (spec_.active_deadline && ending_ == Ending::none) {
    const Duration left = active_since_ + *spec_.active_deadline - now.monotonic;
    emit(SetPodTimer{PodTimer::deadline, std::max(left, Duration::zero())});
  } else {
    emit(CancelPodTimer{PodTimer::deadline});
  }
}

void PodLifecycle::timer_fired(PodTimer timer, ClockReading now) {
  if (ending_ != Ending::none) {
    return;
  }
  switch (timer) {
    case PodTimer::set_up:
      emit(SetUpPod{containers_.any_has_run()});
      return;
    case PodTimer::start:
      advance(now);
      return;
    case PodTimer::deadline:
      on_deadline(now);
      return;
    case PodTimer::refresh:
      if (reading_objects_) {
        refresh_later();
      } else {
        reading_objects_ = true;
        emit(RefreshVolumes{});
      }
      return;
  }
}

void PodLifecycle::on_deadline(ClockReading now) {
  const std::string why = "Pod was active on the node longer than the specified deadline";
  emit_event(false, "DeadlineExceeded", why);
  forced_ = ForcedEnd{"DeadlineExceeded", why, ForcedEnd::Kind::failure};
  end(Ending::told, spec_.grace, now);
  if (!finished_) {
    report();  // K-43: not ready from now on
  }
}

void PodLifecycle::stop(Duration grace, ClockReading now) {
  if (finished_) {
    return;
  }
  if (ending_ == Ending::none) {
    forced_ = ForcedEnd{"Terminated", "Pod was terminated in response to imminent node shutdown.",
                        ForcedEnd::Kind::disruption};  // K-74
  }
  end(Ending::told, std::min(grace, spec_.grace), now);
}

void PodLifecycle::evict(const std::string& message, Duration grace, ForcedEnd::Kind kind,
                         ClockReading now) {
  if (ending_ != Ending::none) {
    return;
  }
  emit_event(true, "Evicted", message);
  forced_ = ForcedEnd{"Evicted", message, kind};
  end(Ending::told, std::min(grace, spec_.grace), now);
}

void PodLifecycle::preempt(ClockReading now) {
  if (ending_ != Ending::none) {
    return;
  }
  const std::string why = "Preempted in order to admit critical pod";
  emit_event(true, "Preempting", why);
  forced_ = ForcedEnd{"Preempting", why, ForcedEnd::Kind::disruption,
                      "Pod was preempted by Kubelet to accommodate a critical pod."};
  end(Ending::told, spec_.grace, now);
}

void PodLifecycle::end(Ending how, Duration grace, ClockReading now) {
  if (finished_) {
    return;
  }
  const MonotonicTime stop_by = now.monotonic + grace;
  const bool sooner = !stop_by_ || stop_by < *stop_by_;  // grace may only shrink (K-30)
  stop_by_ = sooner ? stop_by : *stop_by_;
  if (ending_ != Ending::none) {
    // Told to end while it ends by itself: its outcome stands.
    if (sooner) {
      containers_.stop(*stop_by_ - now.monotonic);
    }
    return;
  }
  ending_ = how;
  containers_.close();
  go_on_ending(now);
}

void PodLifecycle::go_on_ending(ClockReading now) {
  if (!run().any_active()) {
    finish();
    return;
  }
  containers_.stop(*stop_by_ - now.monotonic);
  if (ending_ == Ending::by_itself) {
    report();  // a pod that is killed has nothing to say until it is over (K-35)
  }
}

void PodLifecycle::finish() {
  if (ending_ == Ending::told || initialized(run())) {
    containers_.settle();
  }
  finished_ = true;
  report();
  if (seen_.deleting) {
    status_pending_ = true;
    emit(RemovePodObject{});
  }
  emit(RemoveWorkFiles{});
  if (forgotten_) {
    emit(RemoveLogs{});
  }
  check_done();
}

void PodLifecycle::report() {
  if (forgotten_) {
    return;
  }
  PodStatusView now = view();
  now.generation = seen_.generation;
  status_pending_ = true;
  emit(WritePodStatus{std::move(now)});
}

PodStatusView PodLifecycle::view() const {
  if (rejected_) {
    PodStatusView view;
    view.phase = "Failed";
    view.reason = forced_ ? forced_->reason : "";
    view.message = forced_ ? forced_->message : "";
    view.rejected = true;
    return view;
  }
  return describe({run(), spec_.restart_policy, ending_ == Ending::told, forced_, set_up_});
}

void PodLifecycle::check_done() {
  if (done()) {
    containers_.forget_runs();
    emit(ReportPodDone{});
  }
}

}  // namespace windlass::node
