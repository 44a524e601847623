#include "cli/commands/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "api/codec/wire_time.h"
#include "base/plain_line.h"
#include "base/utf8.h"
#include "cli/commands/explain/attempt_report.h"
#include "cli/flags/command_line.h"
#include "cli/flags/job_argument.h"
#include "cli/flags/manifest_flags.h"
#include "cli/ledger/opened_ledger.h"
#include "cli/manifests/attempt_collector.h"
#include "cli/process.h"
#include "cli/runs/run_store.h"
#include "explain/explain.h"
#include "explain/job_pods.h"
#include "explain/print.h"
#include "ledger/sqlite/ledger_schema.h"
#include "plane/plane_periods.h"
#include "schema/core/v1/event.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

using api::core::v1::Event;
using api::core::v1::Pod;

// An older warning says nothing about the present.
constexpr Duration kEventAge = minutes(15);
constexpr int64_t kMaxLogLines = 10'000;

Time last_seen(const Event& event) {
  if (event.series().has_last_observed_time()) {
    return api::time_of(event.series().last_observed_time());
  }
  return event.has_last_timestamp() ? api::time_of(event.last_timestamp())
                                    : api::time_of(event.event_time());
}

// The latest of those that fit; null without one.
std::shared_ptr<const Event> latest_event(const client::ObjectList& events, Time now,
                                          const std::function<bool(const Event&)>& fits) {
  std::shared_ptr<const Event> latest;
  Time newest = now - kEventAge;
  for (const client::ObjectPtr& object : events.items) {
    auto event = api::object_as<Event>(object);
    if (fits(*event) && last_seen(*event) > newest) {
      newest = last_seen(*event);
      latest = std::move(event);
    }
  }
  return latest;
}

bool is_create_error(const Event& event) {
  return event.reason() == "FailedCreate";
}

// The names of the pods that the Job's controller reports to have created; they may be gone.
std::vector<std::string> created_pods(const client::ObjectList& events) {
  constexpr std::string_view kCreated = "Created pod: ";
  std::vector<std::string> names;
  for (const client::ObjectPtr& object : events.items) {
    const auto event = api::object_as<Event>(object);
    const size_t at = event->message().find(kCreated);
    if (event->reason() == "SuccessfulCreate" && at != std::string::npos) {
      names.push_back(event->message().substr(at + kCreated.size()));
    }
  }
  return names;
}

// A warning about a pod that has a node; those of the scheduler are out of date by then.
bool is_warning_after(const Event& event, const std::string& scheduler) {
  return event.type() == "Warning" && event.source().component() != scheduler &&
         event.reporting_component() != scheduler;
}

// With a ledger of its own it does without a server.
Result<remote::ClusterAccess> find_server(ExplainOptions& options) {
  posix::PosixFiles files;
  auto access = find_cluster(files, options.cluster, cluster_environment(LocalCluster::yes));
  const bool is_named = !options.cluster.kubeconfig.empty() || !options.cluster.context.empty();
  if (!access && !options.ledger.empty() && !is_named) {
    options.has_server = false;
    return remote::ClusterAccess();
  }
  return access;
}

ExitCode explain_with(const ExplainOptions& options, const remote::ClusterAccess& access,
                      Output& output) {
  ClusterClient cluster(access);
  const auto attempts =
      JobAttempts::open(cluster.client, cluster.loop, cluster.clock, options.ledger);
  if (!attempts) {
    output.err(fmt::format("error: {}\n", attempts.error().message));
    return ExitCode::failed;
  }
  std::optional<ExplainSession> session;
  return cluster.run([&](const OnFinished& on_finished) {
    session.emplace(cluster.client, (*attempts)->source(), cluster.text_reader(), cluster.clock,
                    options, output, on_finished);
    session->start();
  });
}

// The Jobs of a kept run, as its ledger tells of them. One that was killed early may have no report
// that names them.
Result<std::vector<ExplainOptions>> jobs_of_run(const ExplainOptions& options,
                                                const RunStore& store) {
  TRY(const StoredRun run, store.find(options.run));
  ExplainOptions one = options;
  one.has_server = false;
  one.ledger = fmt::format("sqlite:{}/{}", run.path, ledger::LedgerPlace().file);
  std::vector<ExplainOptions> jobs;
  for (const auto& job : run.report ? run.report->jobs : std::vector<ReportSummary::JobLine>()) {
    one.job = job.name;
    one.ns = job.ns;
    if ((options.job.empty() || options.job == job.name) &&
        (options.ns.empty() || options.ns == job.ns)) {
      jobs.push_back(one);
    }
  }
  if (jobs.empty()) {
    return fail(plain_error(options.job.empty()
                                ? fmt::format("nothing is known of the Jobs of run/{}", run.name)
                                : fmt::format("run/{} has no Job {}", run.name, options.job)));
  }
  return jobs;
}

ExitCode explain_run(const ExplainOptions& options, Output& output) {
  const auto jobs = jobs_of_run(options, RunStore(runs_directory()));
  if (!jobs) {
    output.err(fmt::format("error: {}\n", jobs.error().message));
    return ExitCode::failed;
  }
  ExitCode code = ExitCode::ok;
  for (const ExplainOptions& job : *jobs) {
    if (&job != &jobs->front() && !options.json) {
      output.out("\n");
    }
    const ExitCode ended = explain_with(job, remote::ClusterAccess(), output);
    code = ended == ExitCode::ok ? code : ended;
  }
  return code;
}

ExitCode explain_job(ExplainOptions options, Output& output) {
  if (!options.run.empty()) {
    return explain_run(options, output);
  }
  const auto access = find_server(options);
  if (!access) {
    output.err(fmt::format("error: {}\n", access.error().message));
    return ExitCode::usage;
  }
  options.ns = options.ns.empty() ? access->ns : options.ns;
  return explain_with(options, *access, output);
}

// Names, messages and logs come from others, and a terminal obeys some characters.
std::string safe_text(std::string_view text) {
  constexpr size_t kMaxLineBytes = 10'000;
  std::string safe;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    safe += plain_line(text.substr(0, end), kMaxLineBytes) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return safe;
}

Result<void> check_options(const ExplainOptions& options) {
  if (!options.cause.empty() && (options.index || !options.attempts.empty())) {
    return fail(plain_error("--cause cannot be given with --index or --attempts"));
  }
  TRY_VOID(compared_attempts(options));
  if (!options.run.empty() && !options.ledger.empty()) {
    return fail(plain_error("a run has a ledger of its own: name either run/... or --ledger"));
  }
  return {};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace

void declare_flags(Flags& flags, ExplainOptions& options) {
  declare_job_argument(flags, options.job, options.ns, "explain", nullptr, &options.run);
  flags.number("--index NUMBER", options.index, "Explain this index only",
               {0, std::numeric_limits<int64_t>::max()});
  flags.text("--cause CAUSE", options.cause,
             "Tell of one cause of failures only: its number in the list, or its id");
  flags.text("--attempts A,B", options.attempts,
             "Compare two attempts: pods, or INDEX:NUMBER such as 7:1,7:2 (with --index, numbers)");
  flags.check([&options] { return check_options(options); });
  flags.number("--tail NUMBER", options.log_lines,
               "Number of log lines to print of the pod that decided", {0, kMaxLogLines});
  declare_json_output(flags, options.json);
  flags.duration("--backoff-base DURATION", options.backoff_base,
                 "First retry delay of the Job's controller (default: as `windlass up` reports; "
                 "10s on other servers)");
  flags.duration("--backoff-cap DURATION", options.backoff_cap,
                 "Longest retry delay of the Job's controller (default: as `windlass up` reports; "
                 "10m on other servers)");
  declare_ledger_source(flags, options.ledger);
  declare_cluster_flags(flags, options.cluster, LocalCluster::yes);
  flags.paragraph(
      "Works with any Kubernetes cluster, and changes nothing. Where the server keeps the attempt "
      "ledger, or --ledger names one, it also explains Jobs and pods that are gone; such a Job can "
      "be named by its UID. With --ledger the server may be gone, too. run/12 names a run of "
      "`windlass runs`, whose ledger is used.");
  flags.exit_codes({{0, "Explained"}, {1, "No such Job, or no answer"}, {2, "Wrong usage"}});
  flags.examples({"windlass explain job/nightly", "windlass explain job/nightly --index 3",
                  "windlass explain job/nightly --cause 1",
                  "windlass explain job/nightly --attempts 3:1,3:2",
                  "windlass explain job/nightly -n batch -o json",
                  "windlass explain job/nightly --ledger sqlite:state/ledger.db",
                  "windlass explain run/12", "windlass explain run/last"});
}

Command explain_command() {
  return make_command<ExplainOptions>(
      "explain", "Explain why a Job ended as it did, or what it waits for", explain_job);
}

class ExplainSession::Impl {
 public:
  Impl(client::ApiClient& api, ledger::AttemptSource& attempts, ReadText read_text,
       env::Clock& clock, ExplainOptions options, Output& output,
       std::function<void(ExitCode)> on_finished)
      : api_(api),
        attempts_(attempts),
        read_text_(std::move(read_text)),
        clock_(clock),
        options_(std::move(options)),
        output_(output),
        on_finished_(std::move(on_finished)) {}

  void start() {
    if (!options_.has_server) {
      return read_gone(not_found({"batch", "jobs", options_.job}));
    }
    api_.get(
        {&api::kinds::job(), options_.ns, options_.job}, [this](Result<client::ObjectPtr> job) {
          if (!job && job.error().code != kNotFound && !options_.ledger.empty()) {
            output_.err(
                fmt::format("warning: the server cannot be asked ({}): this is what the "
                            "ledger has\n",
                            one_line(job.error().message)));
            return read_gone(job.error());
          }
          if (!job) {
            return job.error().code == kNotFound ? read_gone(job.error()) : fail_with(job.error());
          }
          evidence_.job = *std::move(job);
          if (!options_.cause.empty() || !options_.attempts.empty()) {
            return read_attempts_only();
          }
          read_periods();
        });
  }

 private:
  static constexpr int kNotFound = 404;

  explain::AttemptDigest::Wanted wanted() const {
    explain::AttemptDigest::Wanted wanted;
    wanted.index = options_.index;
    wanted.attempts = compared_attempts(options_).value_or(std::vector<explain::AttemptName>());
    wanted.pod = explanation_.decider ? explanation_.decider->name : "";
    return wanted;
  }

  // The last place that may know of the Job.
  void read_gone(const Status& not_found) {
    collector_.emplace(api_, attempts_, wanted());
    collector_->collect_gone(
        options_.ns, options_.job, [this, not_found](const Result<void>& read) {
          if (!read && read.error().code != kNotFound) {
            return fail_with(plain_error(fmt::format("{}, and its attempts cannot be read: {}",
                                                     not_found.message, read.error().message)));
          }
          if (collector_->digest() == nullptr) {
            return fail_with(!read ? not_found
                                   : plain_error(not_found.message +
                                                 ", and the attempt ledger has nothing of it"));
          }
          print_attempts(true);
        });
  }

  void read_attempts_only() {
    collector_.emplace(api_, attempts_, wanted());
    collector_->collect(evidence_.job, [this](const Result<void>& read) {
      if (!read) {
        return fail_with(read.error());
      }
      if (collector_->digest() == nullptr) {
        return fail_with(plain_error(fmt::format("no attempt of job/{} has ended", options_.job)));
      }
      print_attempts(false);
    });
  }

  void print_attempts(bool gone) {
    const auto text = report_attempts({options_, *collector_->digest(), collector_->earlier_jobs(),
                                       gone, collector_->from_pods(), clock_.now()});
    if (!text) {
      return fail_with(text.error());
    }
    output_.out(options_.json ? *text : safe_text(*text));
    on_finished_(ExitCode::ok);
  }

  // `windlass up` reports its periods; other servers do not have the path.
  void read_periods() {
    if (options_.index) {
      if (const std::string error = explain::index_error(evidence_, *options_.index);
          !error.empty()) {
        return fail_with(plain_error(error));
      }
    }
    read_text_("/configz", [this](const Result<std::string>& text) {
      const plane::PlanePeriods periods = plane::parse_periods(text.value_or(""));
      evidence_.options.backoff_base = options_.backoff_base.value_or(periods.backoff_base);
      evidence_.options.backoff_cap = options_.backoff_cap.value_or(periods.backoff_cap);
      read_pods();
    });
  }

  void read_pods() {
    explain::list_job_pods(api_, evidence_.job,
                           [this](Result<std::vector<client::ObjectPtr>> pods) {
                             if (!pods) {
                               return fail_with(pods.error());
                             }
                             evidence_.pods = *std::move(pods);
                             read_events(api::metadata_of(*evidence_.job).uid());
                           });
  }

  // A user who may not read events gets the rest.
  void read_events(const std::string& uid) {
    api_.list({&api::kinds::event(), options_.ns, "", "involvedObject.uid=" + uid}, {},
              [this](const Result<client::ObjectList>& events) {
                if (const auto error =
                        events ? latest_event(*events, clock_.now(), is_create_error) : nullptr) {
                  evidence_.create_error = error->message();
                }
                if (events) {
                  evidence_.created_pods = created_pods(*events);
                }
                silent_ = explain::silent_pods(evidence_, options_.index);
                read_next_warning();
              });
  }

  void read_next_warning() {
    if (silent_.empty()) {
      return conclude();
    }
    const auto pod = api::object_as<Pod>(silent_.back());
    const std::string uid = pod->metadata().uid();
    silent_.pop_back();
    api_.list(
        {&api::kinds::event(), options_.ns, "", "involvedObject.uid=" + uid}, {},
        [this, uid,
         scheduler = pod->spec().scheduler_name()](const Result<client::ObjectList>& events) {
          const auto fits = [&scheduler](const Event& event) {
            return is_warning_after(event, scheduler);
          };
          if (const auto warning = events ? latest_event(*events, clock_.now(), fits) : nullptr) {
            evidence_.pod_warnings[uid] =
                fmt::format("{}: {}", warning->reason(), one_line(warning->message()));
          }
          read_next_warning();
        });
  }

  void conclude() {
    evidence_.now = clock_.now();
    explanation_ = explain::explain(evidence_, options_.index);
    collector_.emplace(api_, attempts_, wanted());
    // Without attempts the rest is still worth telling.
    collector_->collect(evidence_.job, [this](const Result<void>& /*read*/) {
      if (const auto* digest = collector_->digest()) {
        add_attempts(*digest);
      }
      read_log();
    });
  }

  void add_attempts(const explain::AttemptDigest& digest) {
    explanation_.causes = causes_section(digest, collector_->from_pods());
    if (explanation_.index && !collector_->from_pods()) {
      explanation_.index_story = explain::index_story(digest, evidence_.now);
    }
  }

  void read_log() {
    const auto source = explain::log_source(explanation_);
    if (options_.log_lines == 0) {
      return print();
    }
    if (!source) {
      add_kept_log();
      return print();
    }
    const std::string container =
        source->container.empty() ? "" : "&container=" + source->container;
    read_text_(fmt::format("/api/v1/namespaces/{}/pods/{}/log?tailLines={}{}", options_.ns,
                           source->pod, options_.log_lines, container),
               [this](const Result<std::string>& text) {
                 if (text) {
                   explanation_.log = lines_of(*text);
                 } else if (!add_kept_log()) {
                   explanation_.log_error = text.error().message;
                 }
                 print();
               });
  }

  // The log that the ledger kept of a pod that is gone.
  bool add_kept_log() {
    const auto* digest = collector_->digest();
    if (digest == nullptr) {
      return false;
    }
    const ledger::AttemptPtr attempt =
        options_.index ? digest->index_failure() : digest->wanted_pod();
    if (attempt != nullptr) {
      explanation_.log = explain::last_log_lines(*attempt, static_cast<size_t>(options_.log_lines));
    }
    return !explanation_.log.empty();
  }

  void print() {
    const auto* digest = collector_->digest();
    const auto add_members = [this, digest](JsonWriter& json) {
      if (digest != nullptr) {
        explain::write_attempts(*digest, options_.index, json);
      }
    };
    output_.out(options_.json ? explain::as_json(explanation_, add_members)
                              : safe_text(explain::as_text(explanation_, evidence_.now)));
    on_finished_(ExitCode::ok);
  }

  void fail_with(const Status& status) {
    output_.err(fmt::format("error: {}\n", one_line(status.message)));
    on_finished_(ExitCode::failed);
  }

  client::ApiClient& api_;
  ledger::AttemptSource& attempts_;
  ReadText read_text_;
  env::Clock& clock_;
  const ExplainOptions options_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  explain::Evidence evidence_;
  std::vector<client::ObjectPtr> silent_;  // pods whose events are still to be read
  explain::Explanation explanation_;
  std::optional<AttemptCollector> collector_;
};

ExplainSession::ExplainSession(client::ApiClient& api, ledger::AttemptSource& attempts,
                               ReadText read_text, env::Clock& clock, ExplainOptions options,
                               Output& output, std::function<void(ExitCode)> on_finished)
    : impl_(std::make_unique<Impl>(api, attempts, std::move(read_text), clock, std::move(options),
                                   output, std::move(on_finished))) {}

ExplainSession::~ExplainSession() = default;

void ExplainSession::start() {
  impl_->start();
}

}  // namespace windlass::cli
