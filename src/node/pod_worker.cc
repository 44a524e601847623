#include "node/pod_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "node/container_flow.h"
#include "node/container_request.h"
#include "node/lost_status.h"

namespace windlass::node {

namespace {

constexpr Duration kStartRetry = seconds(10);
// Of all its containers together; each has the same share.
constexpr size_t kMaxMessageBytesOfPod = 12 * 1024;
// Why a container waits may repeat what an object says, at any length.
constexpr size_t kMaxWaitingBytes = 1024;

ContainerRun new_run(const ContainerPlan& plan) {
  ContainerRun run;
  run.name = plan.name;
  run.image = plan.image;
  run.sidecar = plan.sidecar;
  run.restart = plan.restart;
  return run;
}

}  // namespace

PodWorker::PodWorker(WorkerHost host, PodPlan plan, PodSeen seen, std::function<void()> on_done)
    : host_(std::move(host)),
      plan_(std::move(plan)),
      seen_(std::move(seen)),
      on_done_(std::move(on_done)),
      files_(host_.env.files, host_.env.log, host_.config.data_dir, plan_.ns, plan_.name,
             plan_.uid),
      setup_({host_.api, host_.env.files, host_.support, host_.facts}, plan_, files_.volumes_dir()),
      images_(host_.config.image_dir.empty()
                  ? std::nullopt
                  : std::optional(ImageStore(host_.env.files, host_.config.image_dir)),
              host_.config.require_images),
      handlers_(host_.env.executor, host_.containers, host_.network),
      probes_(probes_host()),
      stops_(stops_host()),
      self_(std::make_shared<PodWorker*>(this)) {
  for (const ContainerPlan& container : plan_.init_containers) {
    run_.init_containers.push_back(new_run(container));
  }
  for (const ContainerPlan& container : plan_.containers) {
    run_.containers.push_back(new_run(container));
  }
  writer_ = std::make_unique<StatusWriter>(
      StatusWriter::Host{host_.api, host_.env.executor, host_.env.clock, host_.env.log,
                         host_.config.address, host_.config.disruption_conditions},
      PodIdentity{plan_.ns, plan_.name, plan_.uid}, [this] { forget(); },
      [this] { notify_when_done(); });
}

PodWorker::~PodWorker() {
  for (const env::TimerId timer : {step_timer_, deadline_timer_, refresh_timer_}) {
    host_.env.executor.cancel(timer);
  }
}

void PodWorker::start(const PodRuns& runs, Begin begin) {
  start_time_ = seen_.start_time.value_or(host_.env.clock.now());
  active_since_ = began_at(start_time_, host_.env.clock.now(), host_.env.clock.monotonic());
  writer_->set_start_time(start_time_);
  adopt_runs(runs);
  if (is_terminal_phase(seen_.phase) && !run_.any_active()) {
    ending_ = Ending::by_itself;
    finished_ = true;
    rejected_ = seen_.containers.empty();
    observe(seen_);
    notify_when_done();
    return;
  }
  if (seen_.deleting || is_terminal_phase(seen_.phase)) {
    observe(seen_);
    return;
  }
  if (begin == Begin::shut_down) {
    stop(plan_.grace);
    return;
  }
  await_deadline();
  if (!seen_.start_time) {
    warn_of_ignored();
  }
  set_up();
}

void PodWorker::reject(const std::string& reason, const std::string& message) {
  writer_->set_start_time(host_.env.clock.now());
  host_.events.warning(pod_target(), reason, message);
  ending_ = Ending::by_itself;
  finished_ = true;
  rejected_ = true;
  forced_ = ForcedEnd{reason, "Pod was rejected: " + message, ForcedEnd::Kind::failure};
  report();
}

// K-8: what others wait for in a pod that is deleted, its containers' ends among it.
void PodWorker::fill_in_rejected() {
  settle(run_);
  // The phase in the API stays, with its reason and message.
  PodStatusView view = describe({run_, plan_.restart_policy, true, ForcedEnd(), false, true});
  view.has_address = false;
  writer_->submit(std::move(view));
}

void PodWorker::adopt_runs(const PodRuns& runs) {
  adopt(plan_, seen_, runs, run_);
  std::set<std::string> attached;
  for (size_t i = 0; i < container_count(run_); ++i) {
    ContainerRun& run = container_at(run_, i);
    if (const auto* running = std::get_if<Running>(&run.state)) {
      run.began = began_at(running->started_at, host_.env.clock.now(), host_.env.clock.monotonic());
      run_ids_[i] = run_id(plan_.uid, run.name, run.restarts);
      attached.insert(run_ids_[i]);
      host_.containers.attach(run_ids_[i], exit_callback(i));
    } else if (auto* ended = std::get_if<Ended>(&run.state)) {
      add_last_words(i, *ended);
    }
  }
  for (const auto& [container, attempts] : runs) {
    for (const auto& [attempt, info] : attempts) {
      if (attached.contains(info.id)) {
        continue;
      }
      host_.containers.signal(info.id, SIGKILL);
      over_.emplace(info.id, container_count(run_));
    }
  }
}

void PodWorker::observe(PodSeen seen) {
  const bool says_more = seen_.gates != seen.gates || seen_.generation != seen.generation;
  const bool was_over = is_terminal_phase(seen_.phase);
  seen_ = std::move(seen);
  if (finished_) {
    if (seen_.deleting && std::exchange(rejected_, false)) {
      fill_in_rejected();
    }
    // While a grace period is on the object nothing but a delete with grace 0 removes it (C-8a).
    if (seen_.deleting && seen_.deletion_grace > Duration::zero()) {
      writer_->remove();
    }
    return;
  }
  if (seen_.deleting) {
    end(Ending::told, seen_.deletion_grace);
  } else if (is_terminal_phase(seen_.phase)) {
    end(Ending::told, plan_.grace);  // K-30: somebody else has ended the pod
  } else if (says_more && ending_ == Ending::none && !run_.any_starting()) {
    report();
  }
  const bool over = is_terminal_phase(seen_.phase);
  if (over && !finished_ && (!was_over || seen_.ready)) {
    report();  // K-16: not ready from now on, however long its containers take to stop
  }
}

void PodWorker::reconcile() {
  const bool stopping = ending_ != Ending::none && !finished_;  // its end says it all
  if (stopping || run_.any_starting() || !writer_->idle()) {
    return;
  }
  const PodStatusView view = view_now();
  // Of a pod that was over when this agent took it on there is nothing of its own to say.
  const bool speaks = !finished_ || view.terminal();
  if (speaks && has_lost(seen_, view)) {
    report();
  }
}

void PodWorker::forget() {
  if (std::exchange(forgotten_, true)) {
    return;
  }
  // While it runs it may write more: then they go when it is over.
  if (!host_.config.keep_logs && stopped()) {
    files_.remove_logs();
  }
  end(Ending::told, Duration::zero());
  notify_when_done();
}

void PodWorker::stop(Duration grace) {
  if (finished_) {
    return;
  }
  if (ending_ == Ending::none) {
    forced_ = ForcedEnd{"Terminated", "Pod was terminated in response to imminent node shutdown.",
                        ForcedEnd::Kind::disruption};  // K-74
  }
  end(Ending::told, std::min(grace, plan_.grace));
}

void PodWorker::kill() {
  for (size_t i = 0; i < container_count(run_); ++i) {
    if (container_at(run_, i).active()) {
      host_.containers.signal(run_ids_.at(i), SIGKILL);
    }
  }
}

void PodWorker::await_deadline() {
  host_.env.executor.cancel(std::exchange(deadline_timer_, env::TimerId::none));
  if (plan_.active_deadline && ending_ == Ending::none) {
    const Duration left = active_since_ + *plan_.active_deadline - host_.env.clock.monotonic();
    schedule(deadline_timer_, std::max(left, Duration::zero()), &PodWorker::on_deadline);
  }
}

void PodWorker::on_deadline() {
  deadline_timer_ = env::TimerId::none;
  if (ending_ != Ending::none) {
    return;
  }
  const std::string why = "Pod was active on the node longer than the specified deadline";
  host_.events.normal(pod_target(), "DeadlineExceeded", why);
  forced_ = ForcedEnd{"DeadlineExceeded", why, ForcedEnd::Kind::failure};
  end(Ending::told, plan_.grace);
  if (!finished_) {
    report();  // K-43: not ready from now on
  }
}

void PodWorker::advance() {
  if (finished_) {
    notify_when_done();
    return;
  }
  if (ending_ == Ending::none) {
    start_due_containers();
  }
  if (finished_) {
    return;  // it ended within that call
  }
  if (ending_ == Ending::none) {
    if (!run_.any_starting()) {
      report();  // of one that is starting there is more to say in a moment
    }
  } else if (run_.any_active()) {
    signal_next();
    if (ending_ == Ending::by_itself) {
      report();  // a pod that is killed has nothing to say until it is over (K-35)
    }
  } else {
    finish();
  }
}

void PodWorker::start_due_containers() {
  // A start that fails at once may be due again at once, once: the second time it waits.
  const size_t kMaxRounds = 2 * container_count(run_) + 2;
  for (size_t round = 0; round < kMaxRounds; ++round) {
    const MonotonicTime now = host_.env.clock.monotonic();
    const NextSteps steps = next_steps(run_, plan_.restart_policy, now);
    if (!steps.start.empty() && !may_start_now()) {
      return;
    }
    for (const size_t number : steps.start) {
      start_container(number);
    }
    if (steps.finished) {
      end(Ending::by_itself, plan_.grace);
      return;
    }
    if (steps.start.empty()) {
      if (steps.look_again) {
        schedule(step_timer_, *steps.look_again - now, &PodWorker::advance);
      }
      return;
    }
  }
}

void PodWorker::start_container(size_t number) {
  const ImageAnswer image = images_.look(number, plan_of(number), host_.env.clock.monotonic());
  if (image.wait) {
    hold(number, *image.wait, image.look_again);
    for (const std::string& warning : image.warnings) {
      host_.events.warning(event_target(number), "Failed", warning);
    }
    return;
  }
  const Result<ContainerCommand> command =
      resolve_container(plan_, plan_of(number), host_.facts, setup_.objects());
  if (!command && is_start_refused(command.error())) {
    refuse_start(number, command.error(), image);
  } else if (!command) {
    block(number, command.error());
  } else {
    ask_for(number, *command, image);
  }
}

// The kernel would not start it with these arguments, so the run fails without being asked for.
void PodWorker::refuse_start(size_t number, const Status& why, const ImageAnswer& image) {
  ContainerRun& run = container_at(run_, number);
  run.starting = true;
  run.image_id = image.id;
  run_ids_[number] = run_id(plan_.uid, run.name, run.next_attempt());
  host_.env.executor.post([weak = std::weak_ptr<PodWorker*>(self_), number, why] {
    if (const auto worker = weak.lock()) {
      (*worker)->on_started(number, fail(why));
    }
  });
}

void PodWorker::hold(size_t number, Waiting why, MonotonicTime until) {
  ContainerRun& run = container_at(run_, number);
  if (const Ended* ended = run.ended()) {
    run.last = *ended;
  }
  run.starting = false;
  why.message = readable(why.message, kMaxWaitingBytes);
  run.state = std::move(why);
  run.restart_at = until;
}

// An object that is not there may come; everything else is for good.
void PodWorker::block(size_t number, const Status& why) {
  hold(number, {"CreateContainerConfigError", why.message},
       host_.env.clock.monotonic() + kStartRetry);
  container_at(run_, number).blocked = !is_not_found(why);
  objects_stale_ = true;
  host_.events.warning(event_target(number), "Failed", "Error: " + why.message);
}

void PodWorker::ask_for(size_t number, const ContainerCommand& command, const ImageAnswer& image) {
  ContainerRun& run = container_at(run_, number);
  const int attempt = run.next_attempt();
  ContainerPlace place{run_id(plan_.uid, run.name, attempt),
                       files_.work_dir(),
                       log_of(number, attempt).path,
                       setup_.volumes(),
                       image.root,
                       files_.layer_directory(run.name),
                       {},
                       setup_.network_files()};
  if (wants_message_file(plan_of(number), command, !image.root.empty(), host_.support)) {
    if (const auto made = files_.make_message_file(run.name, attempt); !made) {
      refused(number, env::not_created(made.error().message));
      return;
    }
    place.message_file = files_.message_path(run.name, attempt);
  }
  if (attempt == 0 && image.root.empty() && host_.support.mounts) {
    files_.reuse_work();
  }
  const auto request = make_request(plan_, plan_of(number), command, place, host_.support);
  if (!request) {
    block(number, request.error());
    return;
  }
  run.starting = true;
  run.image_id = image.id;
  run_ids_[number] = place.id;
  host_.containers.start(
      *request,
      [weak = std::weak_ptr<PodWorker*>(self_), number](const Result<void>& started) {
        if (const auto worker = weak.lock()) {
          (*worker)->on_started(number, started);
        }
      },
      exit_callback(number));
}

void PodWorker::on_started(size_t number, const Result<void>& started) {
  if (!started && env::is_not_created(started.error())) {
    refused(number, started.error());
    advance();
    return;
  }
  ContainerRun& run = container_at(run_, number);
  if (run.ever_started) {
    ++run.restarts;
    if (const Ended* ended = run.ended()) {
      run.last = *ended;
    }
  }
  run.starting = false;
  run.ever_started = true;
  run.restart_at.reset();
  run.began.reset();
  run.container_id = container_id_of(run_ids_.at(number));
  if (!started) {
    over_.emplace(run_ids_.at(number), number);
    end_container(number,
                  start_error(started.error().message, run.container_id, host_.env.clock.now()));
  } else {
    // The newer run is on record: how the ones before it ended is not needed any more.
    forget_runs(number);
    run.state = Running{host_.env.clock.now()};
    run.began = host_.env.clock.monotonic();
    if (host_.observer != nullptr) {
      host_.observer->on_container_started(log_of(number, run.restarts));
    }
    begin_checks(number);
  }
  advance();
}

// Nothing has come of the request, so nothing has failed: the same run is asked for again.
// Within the search for containers to start, so that it goes on with nothing itself.
void PodWorker::refused(size_t number, const Status& why) {
  hold(number, {why.reason, why.message}, host_.env.clock.monotonic() + kStartRetry);
  host_.events.warning(event_target(number), "Failed", "Error: " + why.message);
}

std::function<void(const env::ContainerExit&)> PodWorker::exit_callback(size_t number) {
  return [weak = std::weak_ptr<PodWorker*>(self_), number](const env::ContainerExit& exit) {
    if (const auto worker = weak.lock()) {
      (*worker)->on_exit(number, exit);
    }
  };
}

void PodWorker::on_exit(size_t number, const env::ContainerExit& exit) {
  const ContainerRun& run = container_at(run_, number);
  CHECK(run.running(), "only a running container exits");
  over_.emplace(run_ids_.at(number), number);
  end_checks(number);
  if (host_.observer != nullptr) {
    host_.observer->on_container_ended(log_of(number, run.restarts), exit.code);
  }
  Ended ended = ended_from(exit, run, plan_.restart_policy);
  add_last_words(number, ended);
  end_container(number, std::move(ended));
  advance();
}

// What a container leaves as its message (api.md E78, terminationMessagePolicy).
void PodWorker::add_last_words(size_t number, Ended& ended) const {
  const ContainerPlan& plan = plan_of(number);
  const int attempt = container_at(run_, number).restarts;
  if (ended.message.empty()) {
    ended.message = files_.message(plan.name, attempt);
  }
  if (ended.message.empty() && plan.message_from_log && ended.exit_code != 0) {
    ended.message = files_.end_of_log(plan.name, attempt);
  }
  const size_t share = kMaxMessageBytesOfPod / container_count(run_);
  ended.message = readable(from_whole_character(ended.message), share);
}

void PodWorker::end_container(size_t number, Ended ended) {
  ContainerRun& run = container_at(run_, number);
  run.state = std::move(ended);
  const bool init_done = number < run_.init_containers.size() && !run.sidecar && run.succeeded();
  if (ending_ == Ending::none && !init_done && will_restart(run, plan_.restart_policy)) {
    plan_restart(run, host_.config.restart, host_.env.clock.monotonic(), plan_);
    if (!run.ended()) {
      host_.events.warning(event_target(number), "BackOff",
                           fmt::format("Back-off restarting failed container {} in pod {}_{}({})",
                                       run.name, plan_.name, plan_.ns, plan_.uid));
    }
  }
}

void PodWorker::end(Ending how, Duration grace) {
  if (finished_ && !run_.any_active()) {
    return;
  }
  const bool first = ending_ == Ending::none;
  // Told to end while it ends by itself: its outcome stands.
  ending_ = first ? how : ending_;
  if (first) {
    host_.env.executor.cancel(std::exchange(step_timer_, env::TimerId::none));
    host_.env.executor.cancel(std::exchange(deadline_timer_, env::TimerId::none));
    host_.env.executor.cancel(std::exchange(refresh_timer_, env::TimerId::none));
    probes_.end_all();
    post_starts_.clear();
    for (size_t i = 0; i < container_count(run_); ++i) {
      if (container_at(run_, i).running()) {
        host_.events.normal(event_target(i), "Killing", "Stopping container " + plan_of(i).name);
      }
    }
  }
  const MonotonicTime stop_by = host_.env.clock.monotonic() + grace;
  const bool sooner = !stop_by_ || stop_by < *stop_by_;  // grace may only shrink (K-30)
  stop_by_ = sooner ? stop_by : *stop_by_;
  if (first) {
    advance();
  } else if (sooner) {
    signal_next();
  }
}

void PodWorker::finish() {
  if (ending_ == Ending::told || initialized(run_)) {
    settle(run_);
  }
  finished_ = true;
  report();
  if (seen_.deleting) {
    writer_->remove();
  }
  const bool has_volumes = !plan_.volumes.empty() || !plan_.host_aliases.empty() || plan_.dns;
  files_.remove_work(has_volumes, !host_.config.image_dir.empty());
  if (forgotten_ && !host_.config.keep_logs) {
    files_.remove_logs();
  }
  notify_when_done();
}

void PodWorker::report() {
  if (forgotten_) {
    return;
  }
  PodStatusView view = view_now();
  view.generation = seen_.generation;
  writer_->submit(std::move(view));
}

PodStatusView PodWorker::view_now() const {
  if (rejected_) {
    PodStatusView view;
    view.phase = "Failed";
    view.reason = forced_ ? forced_->reason : "";
    view.message = forced_ ? forced_->message : "";
    view.rejected = true;
    return view;
  }
  return describe({run_, plan_.restart_policy, ending_ == Ending::told, forced_, set_up_});
}

void PodWorker::notify_when_done() {
  if (!done()) {
    return;
  }
  forget_runs();
  host_.env.executor.post([weak = std::weak_ptr<PodWorker*>(self_)] {
    if (const auto worker = weak.lock()) {
      (*worker)->on_done_();
    }
  });
}

void PodWorker::forget_runs(std::optional<size_t> of_container) {
  std::erase_if(over_, [&](const auto& run) {
    const bool now = !of_container || run.second == *of_container;
    if (now) {
      host_.containers.forget(run.first);
    }
    return now;
  });
}

const ContainerPlan& PodWorker::plan_of(size_t number) const {
  const size_t inits = plan_.init_containers.size();
  return number < inits ? plan_.init_containers[number] : plan_.containers[number - inits];
}

client::EventTarget PodWorker::pod_target() const {
  return {"v1", "Pod", plan_.ns, plan_.name, plan_.uid, ""};
}

client::EventTarget PodWorker::event_target(size_t number) const {
  const bool init = number < plan_.init_containers.size();
  return {
      "v1",
      "Pod",
      plan_.ns,
      plan_.name,
      plan_.uid,
      fmt::format("spec.{}{{{}}}", init ? "initContainers" : "containers", plan_of(number).name)};
}

ContainerLog PodWorker::log_of(size_t number, int attempt) const {
  const std::string& name = plan_of(number).name;
  return {plan_.ns, plan_.name, plan_.uid, name, attempt, files_.log_path(name, attempt)};
}

void PodWorker::schedule(env::TimerId& timer, Duration delay, void (PodWorker::*task)()) {
  host_.env.executor.cancel(timer);
  timer = host_.env.executor.schedule(delay, [this, &timer, task] {
    timer = env::TimerId::none;
    (this->*task)();
  });
}

}  // namespace windlass::node
