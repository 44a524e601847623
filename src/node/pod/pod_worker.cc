#include "node/pod/pod_worker.h"

#include <fmt/format.h>

#include <csignal>
#include <utility>
#include <variant>

#include "node/container/container_request.h"

namespace windlass::node {

namespace {

// A container that is not up after a day is stopped.
constexpr Duration kPostStartLimit = hours(24);
constexpr Duration kEvictionGrace = seconds(1);  // K-62

std::optional<images::ImageCatalog> image_catalog(const WorkerHost& host) {
  const std::string& directory = host.config.image_dir;
  return directory.empty() ? std::nullopt
                           : std::optional(images::ImageCatalog(host.env.files, directory));
}

}  // namespace

PodWorker::PodWorker(WorkerHost host, PodSpecView spec, PodSeen seen, std::function<void()> on_done)
    : host_(std::move(host)),
      lifecycle_({host_.config.restart, host_.config.volume_refresh}, std::move(spec),
                 std::move(seen)),
      on_done_(std::move(on_done)),
      files_(host_.env.files, host_.env.log, host_.config.data_dir, this->spec().ns,
             this->spec().name, this->spec().uid),
      setup_({host_.api, host_.env.files, host_.support, host_.facts}, this->spec(),
             files_.volumes_dir()),
      images_(image_catalog(host_), !host_.config.host_root.for_missing_images, images_host()),
      starter_({host_.env.executor, host_.env.clock, host_.containers, host_.support, host_.facts,
                host_.config.private_directories, host_.config.host_root.writable,
                host_.config.protection.max_pids},
               images_, this->spec(), files_, setup_),
      handlers_(host_.env.executor, host_.containers, host_.network),
      probes_(probes_host()),
      stops_(stops_host()),
      writer_(
          writer_host(), PodIdentity{this->spec().ns, this->spec().name, this->spec().uid},
          [this] { forget(); },
          [this] {
            lifecycle_.status_written();
            carry_out();
          }) {}

PodWorker::~PodWorker() {
  for (const env::TimerId timer : timers_) {
    host_.env.executor.cancel(timer);
  }
}

PodProbes::Host PodWorker::probes_host() {
  return {host_.env.executor,
          host_.env.clock,
          handlers_,
          [this](size_t container) { return handler_target(container); },
          [this](size_t container, const ProbeState& state) {
            lifecycle_.probe_changed(container, state.started(), state.ready(), now());
            carry_out();
          },
          [this](size_t container, const std::string& what) {
            host_.events.warning(event_target(container), "Unhealthy", what);
          },
          [this](size_t container, ProbeKind kind) {
            lifecycle_.probe_failed(container, kind);
            carry_out();
          }};
}

ContainerStops::Host PodWorker::stops_host() {
  return {host_.env.executor,
          host_.env.clock,
          host_.containers,
          handlers_,
          host_.config.minimum_grace,
          [this](size_t container) { return handler_target(container); },
          [this](size_t container) {
            const bool on_host_root = run_of(container).image_id == kHostImageId;
            return starter_.stop_signal_of(spec_of(container), on_host_root);
          },
          [this](size_t container) {
            host_.events.warning(event_target(container), "FailedPreStopHook",
                                 "PreStopHook failed");
          }};
}

PodStatusWriter::Host PodWorker::writer_host() const {
  return {host_.api,     host_.env.executor,   host_.env.clock,
          host_.env.log, host_.config.address, host_.config.disruption_conditions};
}

ImagePullHost PodWorker::images_host() {
  return {&host_.env.clock, host_.config.image_puller,
          [this](const std::string& name, std::function<void(const Result<ObjectData>&)> on_read) {
            host_.api.get({&api::kinds::secret(), spec().ns, name},
                          [on_read = std::move(on_read)](const Result<client::ObjectPtr>& secret) {
                            on_read(secret ? Result<ObjectData>(
                                                 read_object(ObjectName::Kind::secret, **secret))
                                           : fail(secret.error()));
                          });
          },
          [this](size_t container, bool warning, const std::string& reason,
                 const std::string& message) {
            act(EmitPodEvent{warning, container, reason, message});
          },
          [this](size_t container) {
            lifecycle_.image_answered(container, now());
            carry_out();
          }};
}

void PodWorker::start(const PodRuns& runs, Begin begin) {
  lifecycle_.adopt(runs, now());
  for (size_t i = 0; i < container_count(lifecycle_.containers().run()); ++i) {
    if (const Terminated* ended = run_of(i).ended()) {
      const bool says_nothing = ended->message.empty();
      lifecycle_.set_message(i, says_nothing ? termination_message(i, ended->exit_code) : "");
    }
  }
  lifecycle_.start(now(), begin);
  writer_.set_start_time(lifecycle_.start_time());
  carry_out();
}

void PodWorker::reject(const std::string& reason, const std::string& message) {
  lifecycle_.reject(reason, message, now());
  writer_.set_start_time(lifecycle_.start_time());
  carry_out();
}

void PodWorker::observe(PodSeen seen) {
  lifecycle_.observe(std::move(seen), now());
  carry_out();
}

void PodWorker::update_spec(const PodSpecView& spec) {
  lifecycle_.update_spec(spec, now());
  carry_out();
}

void PodWorker::forget() {
  lifecycle_.object_gone(now());
  carry_out();
}

void PodWorker::reconcile() {
  lifecycle_.reconcile();
  carry_out();
}

void PodWorker::stop(Duration grace) {
  lifecycle_.stop(grace, now());
  carry_out();
}

void PodWorker::check_storage() {
  if (ending() || !lifecycle_.is_set_up() || !has_storage_limits(spec())) {
    return;
  }
  if (const auto message = exceeded_limit(spec(), storage_use())) {
    evict(*message, kEvictionGrace, ForcedEnd::Kind::eviction);
  }
}

void PodWorker::evict(const std::string& message, Duration grace, ForcedEnd::Kind kind) {
  lifecycle_.evict(message, grace, kind, now());
  carry_out();
}

void PodWorker::preempt() {
  lifecycle_.preempt(now());
  carry_out();
}

void PodWorker::kill() {
  lifecycle_.kill();
  carry_out();
}

StorageUse PodWorker::storage_use() const {
  return measure_storage(host_.env.files, files_, spec());
}

void PodWorker::carry_out() {
  if (std::exchange(acting_, true)) {
    return;
  }
  while (std::optional<PodAction> action = lifecycle_.next_action()) {
    std::visit([this](auto& each) { act(each); }, *action);
  }
  acting_ = false;
}

void PodWorker::act(const SetPodTimer& action) {
  cancel(action.timer);
  env::TimerId& timer = timers_.at(static_cast<size_t>(action.timer));
  timer = host_.env.executor.schedule(action.delay, [this, &timer, which = action.timer] {
    timer = env::TimerId::none;
    lifecycle_.timer_fired(which, now());
    carry_out();
  });
}

void PodWorker::act(const CancelPodTimer& action) {
  cancel(action.timer);
}

void PodWorker::cancel(PodTimer timer) {
  host_.env.executor.cancel(
      std::exchange(timers_.at(static_cast<size_t>(timer)), env::TimerId::none));
}

void PodWorker::act(const SetUpPod& action) {
  // With mounts the supervisor makes the directory of the first container: making it takes long,
  // and there it delays no other pod.
  const Result<void> made = host_.support.mounts ? Result<void>() : files_.make_work();
  if (!made) {
    host_.env.log.warning(
        "making a pod's directory failed, will try again",
        {{"pod", spec().ns + "/" + spec().name}, {"error", made.error().message}});
    lifecycle_.work_directory_failed();
    return;
  }
  setup_.prepare(action.has_run, [this](const Result<void>& prepared) {
    lifecycle_.set_up_done(prepared, now());
    carry_out();
  });
}

void PodWorker::act(const ReadPodObjects&) {
  setup_.read_objects([this](const Result<void>&) {
    lifecycle_.objects_read(now());
    carry_out();
  });
}

void PodWorker::act(const RefreshVolumes&) {
  setup_.refresh([this](const Result<void>& refreshed) {
    lifecycle_.volumes_refreshed(refreshed, now());
    carry_out();
  });
}

void PodWorker::act(const UpdateFieldVolumes&) {
  lifecycle_.fields_updated(setup_.update_fields());
}

void PodWorker::act(const StartContainer& action) {
  const size_t container = action.container;
  lifecycle_.start_answered(
      container,
      starter_.start(container, spec_of(container), run_of(container),
                     self_.bind([container](PodWorker& worker, const Result<void>& started) {
                       worker.on_started(container, started);
                     }),
                     exit_callback(container)),
      now());
}

void PodWorker::act(const AttachContainer& action) {
  host_.containers.attach(lifecycle_.containers().run_id_of(action.container),
                          exit_callback(action.container));
}

void PodWorker::act(const RunPostStart& action) {
  const size_t container = action.container;
  const Result<HandlerTarget> target = handler_target(container);
  if (!target) {
    lifecycle_.post_start_done(container, false, now());
    return;
  }
  post_starts_[container] = handlers_.run(
      *spec_of(container).checks.post_start, *target, kPostStartLimit,
      [this, container](const HandlerResult& result) { on_post_start(container, result); });
}

void PodWorker::act(const BeginProbes& action) {
  probes_.begin(action.container, spec_of(action.container).checks, action.age, action.before);
}

void PodWorker::act(const EndProbes& action) {
  probes_.end(action.container);
}

void PodWorker::act(const StopContainer& action) {
  const auto& hook = spec_of(action.container).checks.pre_stop;
  stops_.begin(action.container, lifecycle_.containers().run_id_of(action.container),
               hook ? &*hook : nullptr, action.grace);
}

void PodWorker::act(const SignalContainer& action) {
  stops_.let_go(action.container);
}

void PodWorker::act(const KillRun& action) {
  host_.containers.signal(action.id, SIGKILL);
}

void PodWorker::act(const ForgetRun& action) {
  host_.containers.forget(action.id);
}

void PodWorker::act(const CancelPending&) {
  for (env::TimerId& timer : timers_) {
    host_.env.executor.cancel(std::exchange(timer, env::TimerId::none));
  }
  probes_.end_all();
  post_starts_.clear();
}

void PodWorker::act(WritePodStatus& action) {
  writer_.submit(std::move(action.view));
}

void PodWorker::act(const RemovePodObject&) {
  writer_.remove();
}

void PodWorker::act(const EmitPodEvent& action) {
  const client::EventTarget target = event_target(action.container);
  if (action.warning) {
    host_.events.warning(target, action.reason, action.message);
  } else {
    host_.events.normal(target, action.reason, action.message);
  }
}

void PodWorker::act(const RemoveWorkFiles&) {
  const bool has_volumes = !spec().volumes.empty() || !spec().host_aliases.empty() || spec().dns;
  files_.remove_work(has_volumes, !host_.config.image_dir.empty());
}

void PodWorker::act(const RemoveLogs&) {
  if (!host_.config.keep_logs) {
    files_.remove_logs();
  }
}

void PodWorker::act(const ReportPodDone&) {
  host_.env.executor.post(self_.bind([](PodWorker& worker) { worker.on_done_(); }));
}

void PodWorker::on_started(size_t container, const Result<void>& started) {
  lifecycle_.container_started(container, started, now());
  if (started && host_.observer != nullptr) {
    host_.observer->on_container_started(log_of(container));
  }
  carry_out();
}

std::function<void(const env::ContainerExit&)> PodWorker::exit_callback(size_t container) {
  return self_.bind([container](PodWorker& worker, const env::ContainerExit& exit) {
    worker.on_exit(container, exit);
  });
}

void PodWorker::on_exit(size_t container, const env::ContainerExit& exit) {
  probes_.end(container);
  stops_.forget(container);
  post_starts_.erase(container);
  if (host_.observer != nullptr) {
    host_.observer->on_container_ended(log_of(container), exit.code);
  }
  if (host_.config.on_container_use) {
    host_.config.on_container_use(spec().uid, spec_of(container).name, exit);
  }
  lifecycle_.container_exited(container, exit,
                              exit.lost ? "" : termination_message(container, exit.code), now());
  carry_out();
}

void PodWorker::on_post_start(size_t container, const HandlerResult& result) {
  const auto over = post_starts_.extract(container);
  lifecycle_.post_start_done(container, result.outcome == HandlerResult::Outcome::done, now());
  carry_out();
}

std::string PodWorker::termination_message(size_t container, int exit_code) const {
  const ContainerSpecView& spec = spec_of(container);
  const int attempt = run_of(container).restarts;
  std::string message = files_.message(spec.name, attempt);
  if (message.empty() && spec.message_from_log && exit_code != 0) {
    message = files_.end_of_log(spec.name, attempt);
  }
  return message;
}

Result<HandlerTarget> PodWorker::handler_target(size_t container) const {
  const bool on_host_root = run_of(container).image_id == kHostImageId;
  TRY(const ContainerStarter::Settings settings,
      starter_.settings_of(spec_of(container), on_host_root));
  const ContainerSpecView& own = settings.container;
  TRY(ContainerCommand command,
      resolve_container(spec(), spec_of(container), host_.facts, setup_.objects(), settings.image));
  HandlerTarget target;
  target.run_id = lifecycle_.containers().run_id_of(container);
  target.environment = std::move(command.environment);
  target.working_directory = working_directory(own, files_.work_dir(), on_host_root);
  target.uid = own.identity.user;
  target.gid = own.identity.group;
  target.address = host_.facts.pod_ip;
  return target;
}

const ContainerSpecView& PodWorker::spec_of(size_t container) const {
  return lifecycle_.containers().spec_of(container);
}

const ContainerRun& PodWorker::run_of(size_t container) const {
  return container_at(lifecycle_.containers().run(), container);
}

ContainerLog PodWorker::log_of(size_t container) const {
  const std::string& name = spec_of(container).name;
  const int attempt = run_of(container).restarts;
  return {spec().ns, spec().name, spec().uid, name, attempt, files_.log_path(name, attempt)};
}

client::EventTarget PodWorker::event_target(std::optional<size_t> container) const {
  std::string field;
  if (container) {
    const bool init = *container < spec().init_containers.size();
    field = fmt::format("spec.{}{{{}}}", init ? "initContainers" : "containers",
                        spec_of(*container).name);
  }
  return {"v1", "Pod", spec().ns, spec().name, spec().uid, std::move(field)};
}

}  // namespace windlass::node
