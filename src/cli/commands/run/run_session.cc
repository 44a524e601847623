// RunSession.
#include "cli/commands/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/job/job_constants.h"
#include "cli/manifests/object_sink.h"
#include "cli/output/final_jobs.h"
#include "cli/output/live_output.h"
#include "cli/output/progress.h"
#include "cli/output/reporter.h"
#include "cli/output/text.h"
#include "cli/runs/run_ledger.h"
#include "client/object_identity.h"
#include "client/reflector.h"
#include "evidence/container_use_book.h"
#include "ledger/causes/cause_text.h"
#include "plane/embedded_cluster.h"
#include "plane/logs/log_tails.h"
#include "plane/when_all.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/event.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

using api::batch::v1::Job;
using api::core::v1::Event;
using api::core::v1::Pod;

// Its pods do not count any more: it is suspended, or another controller manages it.
bool is_idle(const Job& job) {
  const std::string& manager = job.spec().managed_by();
  if (!manager.empty() && manager != api::kBuiltInJobController) {
    return true;
  }
  return job.status().active() == 0 &&
         std::any_of(job.status().conditions().begin(), job.status().conditions().end(),
                     [](const auto& condition) {
                       return condition.type() == "Suspended" && condition.status() == "True";
                     });
}

RunVerdict ended_as(ExitCode code) {
  switch (code) {
    case ExitCode::ok:
      return RunVerdict::complete;
    case ExitCode::failed:
      return RunVerdict::failed;
    case ExitCode::timed_out:
      return RunVerdict::timed_out;
    case ExitCode::interrupted:
      return RunVerdict::interrupted;
    case ExitCode::usage:
      break;
  }
  return RunVerdict::error;  // an object was rejected
}

Output::Stream log_stream(const RunOptions& options) {
  return options.format == OutputFormat::text ? Output::Stream::out : Output::Stream::err;
}

// A pager that shows logs has the terminal for itself.
bool has_block(const RunOptions& options, const Output& output) {
  const bool paged = options.logs.show == RunLogOptions::Show::all &&
                     log_stream(options) == Output::Stream::out &&
                     !output.is_terminal(Output::Stream::out);
  return output.interactive() && !paged && !options.quiet;
}

Reporter::Detail detail(const RunOptions& options, const Output& output) {
  if (options.verbose || options.quiet) {
    return options.quiet ? Reporter::Detail::nothing : Reporter::Detail::every_pod;
  }
  return has_block(options, output) ? Reporter::Detail::summary : Reporter::Detail::failures;
}

}  // namespace

class RunSession::Impl {
 public:
  Impl(env::Env env, plane::ContainerFactory containers, RunOptions options, RunPlan plan,
       plane::NodeMachine machine, RunStorage storage, Output& output,
       std::function<void(ExitCode)> on_finished, RunPageTools page)
      : env_(env),
        make_containers_(std::move(containers)),
        options_(std::move(options)),
        plan_(std::move(plan)),
        machine_(std::move(machine)),
        live_(output),
        output_(live_),
        on_finished_(std::move(on_finished)),
        page_tools_(std::move(page)),
        start_(env.clock.monotonic()),
        has_block_(has_block(options_, output)),
        storage_(std::move(storage)),
        ledger_(env.executor, storage_.ledger),
        logs_(env, live_, log_stream(options_), options_.logs.show, storage_.logs, options_.ns),
        reporter_(live_, start_, {options_.backoff_base, options_.backoff_cap},
                  detail(options_, output),
                  {[this](const std::string& uid) { return logs_.failures().lines_of(uid); },
                   options_.logs.show == RunLogOptions::Show::failed}),
        job_sink_([this](const client::ObjectPtr& object) { on_job(object); }),
        pod_sink_(
            [this](const client::ObjectPtr& object) {
              last_change_ = env_.clock.monotonic();
              logs_.pod_seen(static_cast<const Pod&>(*object));
              reporter_.pod_changed(static_cast<const Pod&>(*object), env_.clock.monotonic(),
                                    env_.clock.now());
            },
            [this](const client::ObjectPtr& object) {
              reporter_.pod_gone(client::uid_of(*object));
              logs_.pod_gone(client::uid_of(*object));
            }),
        warning_sink_([this](const client::ObjectPtr& object) {
          reporter_.event_seen(static_cast<const Event&>(*object), env_.clock.monotonic());
        }) {}

  ~Impl() {
    for (const env::TimerId timer : {timeout_, redraw_, suspending_, settle_, saving_}) {
      env_.executor.cancel(timer);
    }
  }

  void start() {
    if (options_.timeout) {
      timeout_ = env_.executor.schedule(*options_.timeout, [this] { time_out(); });
    }
    if (has_block_) {
      draw_progress();
    }
    make_cluster();
    if (options_.dashboard) {
      open_page();
    }
    cluster_->start([this] { create_next(); });
  }

  void interrupt() {
    if (concluded_ || !cluster_) {
      return;
    }
    if (!stopping_) {
      const std::string pods = stopping_text();
      reporter_.note(
          pods.empty()
              ? "interrupted"
              : fmt::format("interrupted: {}. Press Ctrl-C again to kill them immediately", pods),
          env_.clock.monotonic());
      ending_ = "interrupted";
      stop(ExitCode::interrupted);
    } else {
      reporter_.note("interrupted again: killing the pods", env_.clock.monotonic());
      stop_cluster();
      cluster_->kill();
    }
  }

  void resume() {
    if (has_block_) {
      live_.abandon();
    }
  }

 private:
  void make_cluster() {
    plane::ClusterOptions cluster;
    cluster.gates = options_.gates;
    cluster.backoff_base = options_.backoff_base;
    cluster.backoff_cap = options_.backoff_cap;
    cluster.network = machine_.network;
    cluster.host_resources = machine_.host_resources;
    for (size_t i = 1; i <= options_.nodes; ++i) {
      cluster.nodes.push_back(
          make_node(options_.nodes == 1 ? "local" : fmt::format("local-{}", i)));
    }
    record_attempts(cluster);
    containers_.front()->support([this](const env::ContainerSupport& support) {
      for (const std::string& what : support.missing) {
        output_.err(fmt::format("note: {}\n", what));
      }
    });
    cluster_ = std::make_unique<plane::EmbeddedCluster>(env_, cluster, &logs_);
    const client::ClientEnv client_env{cluster_->client(), env_.executor, env_.clock, env_.random,
                                       env_.log};
    jobs_ = std::make_unique<client::Reflector>(
        client_env, client::Collection{&api::kinds::job(), "", "", ""}, job_sink_);
    pods_ = std::make_unique<client::Reflector>(
        client_env, client::Collection{&api::kinds::pod(), "", "", ""}, pod_sink_);
    warnings_ = std::make_unique<client::Reflector>(
        client_env, client::Collection{&api::kinds::event(), "", "", "type=Warning"},
        warning_sink_);
    jobs_->start();
    pods_->start();
    warnings_->start();
  }

  // A run without its page is still a run.
  void open_page() {
    auto opened = page_tools_.open(
        *cluster_, [this](const std::string& node) { return std::optional(node_directory(node)); });
    if (!opened) {
      output_.err(fmt::format("warning: --dashboard: {}\n", opened.error().message));
      return;
    }
    page_ = *std::move(opened);
    const std::string address = page_->address();
    output_.err(
        fmt::format("Open this in a browser; it works once, within five minutes:\n{}\n", address));
    if (const auto shown = open_browser(env_.files, page_tools_.browser, address); !shown) {
      output_.err(fmt::format("note: cannot open a browser: {}\n", shown.error().message));
    }
  }

  // In memory, for the causes, also where the run is not kept.
  void record_attempts(plane::ClusterOptions& cluster) {
    if (!options_.ledger.enabled) {
      return;
    }
    cluster.ledger = &ledger_;
    cluster.attempts.evidence = {
        options_.ledger.log_bytes,
        plane::local_log_tails(env_.files, env_.log,
                               [this](const std::string& node) -> std::optional<std::string> {
                                 return node_directory(node);
                               })};
    cluster.attempts.find_usage = [this](const std::string& pod, const std::string& container) {
      return use_book_.find(pod, container);
    };
  }

  // A binding names no other node: there is no other.
  std::string node_directory(const std::string& node) const {
    return machine_.scratch_dir + "/" + node;
  }

  plane::EmbeddedNode make_node(const std::string& name) {
    const std::string directory = node_directory(name);
    containers_.push_back(
        make_containers_(plane::supervisor_directory(directory), plane::ContainerLife::with_owner));
    const plane::NodeSettings settings{
        .capacity = machine_.capacity,
        .environment = machine_.environment,
        .images = options_.images,
        .image_puller = machine_.image_puller,
        .pressure = options_.limits.pressure,
        .protection = options_.limits.protection,
        .system = machine_.system,
        .private_directories = machine_.private_directories,
        .on_container_use = [this](const std::string& pod, const std::string& container,
                                   const env::ContainerExit& exit) {
          use_book_.add(pod, container, exit);
        }};
    return {plane::agent_config(settings, name, directory), containers_.back().get()};
  }

  void draw_progress() {
    constexpr Duration kRedraw = milliseconds(200);
    // Another program writes there meanwhile: a shell, for one that runs in its background.
    output_.in_foreground() ? live_.show(block()) : live_.abandon();
    redraw_ = env_.executor.schedule(kRedraw, [this] { draw_progress(); });
  }

  std::vector<std::string> block() {
    const MonotonicTime now = env_.clock.monotonic();
    // The last column stays free: a cursor there wraps on some terminals.
    const size_t columns = std::max<size_t>(output_.columns(), 1) - 1;
    if (stopping_) {
      const std::string text = cut_to_columns(countdown_text(now), columns);
      return text.empty() ? std::vector<std::string>() : std::vector{text};
    }
    const BlockSize size{columns, output_.rows(), output_.colours()};
    std::vector<std::string> lines =
        progress_block(reporter_.progress(now, env_.clock.now()), size);
    if (!options_.verbose) {
      const std::vector<std::string> failure = failure_block(reporter_.last_failure(), size);
      lines.insert(lines.end(), failure.begin(), failure.end());
      const std::vector<std::string> causes = cause_lines(ledger_.most_frequent(), size);
      lines.insert(lines.end(), causes.begin(), causes.end());
    }
    return lines;
  }

  // `stopping 2 pods: SIGTERM now, SIGKILL in 30s`; "" where no pod runs.
  std::string stopping_text() const {
    const size_t pods = cluster_->running_pods();
    return pods == 0 ? ""
                     : fmt::format("stopping {}: SIGTERM now, SIGKILL in {}", counted(pods, "pod"),
                                   format_duration(reporter_.longest_grace()));
  }

  std::string countdown_text(MonotonicTime now) const {
    const size_t pods = cluster_ ? cluster_->running_pods() : 0;
    if (pods == 0) {
      return "";
    }
    const Duration left = std::max(Duration::zero(), kill_at_ - now);
    return fmt::format("stopping {}, SIGKILL in {}", counted(pods, "pod"),
                       format_duration(std::chrono::ceil<std::chrono::seconds>(left)));
  }

  // One after the other, in the order of the plan.
  void create_next() {
    if (created_ == plan_.objects.size() || stopping_) {
      return;
    }
    const ObjectToCreate& next = plan_.objects[created_];
    ++created_;
    cluster_->client().create(
        next.ref, next.object, [this, &next](const Result<client::ObjectPtr>& answer) {
          if (!answer && !is_there_already(next, answer.error())) {
            output_.err(fmt::format("error: {}: {}\n", next.title, answer.error().message));
            stop(ExitCode::usage);
            return;
          }
          // Before the next one exists: they are reported in the order of the files.
          if (next.ref.kind == &api::kinds::job()) {
            final_jobs_.created(api::object_as<Job>(*answer));
            save_soon();
          }
          create_next();
        });
  }

  void on_job(const client::ObjectPtr& object) {
    const auto job = api::object_as<Job>(object);
    last_change_ = env_.clock.monotonic();
    reporter_.job_changed(*job, env_.clock.monotonic(), env_.clock.now());
    final_jobs_.seen(job, env_.clock.monotonic() - start_);
    save_soon();
    if (final_jobs_.finished() == plan_.jobs && !stopping_) {
      stop(final_jobs_.all_complete() ? ExitCode::ok : ExitCode::failed);
    } else if (suspending_ != env::TimerId::none) {
      suspend_jobs();
    }
  }

  void time_out() {
    timeout_ = env::TimerId::none;
    if (stopping_) {
      return;
    }
    ending_ = fmt::format("timed out after {}", format_duration(*options_.timeout));
    const std::string pods = stopping_text();
    reporter_.note(pods.empty() ? ending_ : fmt::format("{}: {}", ending_, pods),
                   env_.clock.monotonic());
    stop(ExitCode::timed_out);
  }

  void stop(ExitCode code) {
    if (stopping_) {
      return;
    }
    stopping_ = true;
    code_ = code;
    kill_at_ = env_.clock.monotonic() + reporter_.longest_grace();
    reporter_.expect_stops();
    env_.executor.cancel(timeout_);
    // Answers come in milliseconds. A Job that cannot be suspended must not keep the rest running.
    constexpr Duration kLongestSuspension = seconds(5);
    suspending_ = env_.executor.schedule(kLongestSuspension, [this] { stop_cluster(); });
    suspend_jobs();
  }

  // A pod that this command stops does not count as a failure of its Job: the Job is suspended
  // first, which deletes its pods uncounted. The cluster stops when no Job holds a pod any more.
  void suspend_jobs() {
    bool all_idle = true;
    for (const FinalJobs::JobPtr& job : final_jobs_.unfinished()) {
      all_idle = all_idle && is_idle(*job);
      if (!job->spec().suspend() && suspended_.insert(job->metadata().uid()).second) {
        cluster_->client().patch(
            {&api::kinds::job(), job->metadata().namespace_(), job->metadata().name()}, "",
            client::PatchType::merge, R"({"spec":{"suspend":true}})",
            [](const Result<client::ObjectPtr>& /*answer*/) {});  // the watch tells
      }
    }
    if (all_idle) {
      stop_cluster();
    }
  }

  void stop_cluster() {
    if (suspending_ == env::TimerId::none) {
      return;
    }
    env_.executor.cancel(std::exchange(suspending_, env::TimerId::none));
    cluster_->stop([this] {
      stopped_ = env_.clock.monotonic();
      last_change_ = stopped_;
      settle();
    });
  }

  // Waits until nothing changes any more: the controller still counts pods that have ended.
  void settle() {
    constexpr Duration kQuiet = milliseconds(100);
    constexpr Duration kLongest = seconds(2);
    const MonotonicTime now = env_.clock.monotonic();
    const MonotonicTime until = std::min(last_change_ + kQuiet, stopped_ + kLongest);
    if (final_jobs_.finished() == plan_.jobs || now >= until) {
      return conclude();
    }
    settle_ = env_.executor.schedule(until - now, [this] {
      settle_ = env::TimerId::none;
      settle();
    });
  }

  void conclude() {
    env_.executor.cancel(redraw_);
    env_.executor.cancel(std::exchange(saving_, env::TimerId::none));
    concluded_ = true;
    live_.show({});
    logs_.conclude();
    final_jobs_.print_lines(
        {plan_.jobs, options_.format, ending_,
         [this](const std::string& uid) { return reporter_.ignored_failures(uid); }},
        output_);
    if (plan_.jobs > 1 && final_jobs_.finished() < plan_.jobs) {
      output_.err(fmt::format("{} of {} Jobs did not finish\n", plan_.jobs - final_jobs_.finished(),
                              plan_.jobs));
    }
    print_causes();
    const RunAccount report = make_report(ended_as(code_), static_cast<int>(code_));
    save(report);
    const auto causes_of = [this](const std::string& uid) { return ledger_.causes_of(uid); };
    if (!tell_pipeline(options_.pipeline, report, causes_of, env_.files, output_) &&
        code_ == ExitCode::ok) {
      code_ = ExitCode::failed;
    }
    if (options_.format != OutputFormat::text) {
      output_.out(printed_report(report, options_.format));
    }
    if (storage_.folder && code_ != ExitCode::ok && !options_.quiet) {
      output_.err(more_text());
    }
    page_ ? page_->end([this] { finish_later(code_); }) : finish_later(code_);
  }

  void print_causes() {
    for (const FinalJobs::Entry& entry : final_jobs_.entries()) {
      const ledger::CauseGroups* causes = ledger_.causes_of(entry.job->metadata().uid());
      if (causes == nullptr || causes->failures() == 0) {
        continue;
      }
      std::string text =
          plan_.jobs > 1 ? fmt::format("job.batch/{}: ", entry.job->metadata().name()) : "";
      text += ledger::causes_block(*causes);
      options_.format == OutputFormat::text ? output_.out(text) : output_.err(text);
    }
  }

  RunAccount make_report(RunVerdict verdict, std::optional<int> exit_code) const {
    RunAccount report;
    report.run = storage_.folder ? storage_.folder->name() : "";
    report.resumes = storage_.resumes;
    report.verdict = verdict;
    report.exit_code = exit_code;
    report.ended = env_.clock.now();
    report.started = report.ended - (env_.clock.monotonic() - start_);
    for (const FinalJobs::Entry& entry : final_jobs_.entries()) {
      const std::string& uid = entry.job->metadata().uid();
      report.jobs.push_back(
          {entry.job, entry.took, reporter_.ignored_failures(uid), ledger_.causes_json(uid)});
    }
    return report;
  }

  void save(const RunAccount& report) {
    if (!storage_.folder || save_failed_) {
      return;
    }
    if (const Result<void> saved = storage_.folder->save_report(report); !saved) {
      save_failed_ = true;
      output_.err(
          fmt::format("warning: the report of this run is not kept: {}\n", saved.error().message));
    }
  }

  // A run that is killed has told so much.
  void save_soon() {
    constexpr Duration kPause = seconds(1);
    constexpr size_t kJobsPerPause = 100;  // a long report takes its time
    if (storage_.folder && saving_ == env::TimerId::none && !concluded_) {
      const auto pauses = static_cast<int64_t>(1 + plan_.jobs / kJobsPerPause);
      saving_ = env_.executor.schedule(kPause * pauses, [this] {
        saving_ = env::TimerId::none;
        save(make_report(RunVerdict::running, std::nullopt));
      });
    }
  }

  std::string more_text() const {
    const std::string& run = storage_.folder->name();
    const std::string explain =
        storage_.ledger == nullptr
            ? ""
            : fmt::format("See every attempt: windlass explain run/{}\n", run);
    return fmt::format("{}Continue with the rest: windlass run --resume={}\n", explain, run);
  }

  void finish_later(ExitCode code) {
    env_.executor.post([this, code] {
      jobs_.reset();
      pods_.reset();
      warnings_.reset();
      page_.reset();
      cluster_.reset();
      const auto gone = plane::when_all(containers_.size(), [this, code] { on_finished_(code); });
      for (const auto& containers : containers_) {
        containers->shut_down(gone);
      }
    });
  }

  env::Env env_;
  plane::ContainerFactory make_containers_;
  const RunOptions options_;
  const RunPlan plan_;
  const plane::NodeMachine machine_;
  LiveOutput live_;
  Output& output_;  // through it
  std::function<void(ExitCode)> on_finished_;
  const RunPageTools page_tools_;
  const MonotonicTime start_;
  const bool has_block_;
  const RunStorage storage_;
  RunLedger ledger_;
  evidence::ContainerUseBook use_book_;
  RunLogs logs_;
  Reporter reporter_;
  ObjectSink job_sink_;
  ObjectSink pod_sink_;
  ObjectSink warning_sink_;
  size_t created_ = 0;
  bool stopping_ = false;
  ExitCode code_ = ExitCode::ok;
  std::string ending_;               // why it stops before the Jobs have ended; "" when they have
  MonotonicTime kill_at_{};          // when the last grace period is over
  std::set<std::string> suspended_;  // UIDs of the Jobs that it has asked to
  env::TimerId timeout_ = env::TimerId::none;
  env::TimerId redraw_ = env::TimerId::none;
  env::TimerId saving_ = env::TimerId::none;  // the report of the run so far
  bool save_failed_ = false;
  bool concluded_ = false;                        // the report is the last one
  env::TimerId suspending_ = env::TimerId::none;  // while it waits for Jobs to be suspended
  env::TimerId settle_ = env::TimerId::none;
  MonotonicTime last_change_{};  // of a Job or a pod
  MonotonicTime stopped_{};      // when the last pod had ended
  FinalJobs final_jobs_;
  std::vector<std::shared_ptr<env::Containers>> containers_;  // of each node
  std::unique_ptr<plane::EmbeddedCluster> cluster_;
  std::unique_ptr<RunPage> page_;
  std::unique_ptr<client::Reflector> jobs_;
  std::unique_ptr<client::Reflector> pods_;
  std::unique_ptr<client::Reflector> warnings_;
};

RunSession::RunSession(env::Env env, plane::ContainerFactory containers, RunOptions options,
                       RunPlan plan, plane::NodeMachine machine, RunStorage storage, Output& output,
                       std::function<void(ExitCode)> on_finished, RunPageTools page)
    : impl_(std::make_unique<Impl>(env, std::move(containers), std::move(options), std::move(plan),
                                   std::move(machine), std::move(storage), output,
                                   std::move(on_finished), std::move(page))) {}

RunSession::~RunSession() = default;

void RunSession::start() {
  impl_->start();
}

void RunSession::interrupt() {
  impl_->interrupt();
}

void RunSession::resume() {
  impl_->resume();
}

}  // namespace windlass::cli
