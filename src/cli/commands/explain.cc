#include "cli/commands/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "api/codec/wire_time.h"
#include "base/utf8.h"
#include "cli/flags/command_line.h"
#include "cli/flags/job_argument.h"
#include "cli/flags/manifest_flags.h"
#include "cli/manifests/job_pods.h"
#include "cli/process.h"
#include "explain/explain.h"
#include "explain/print.h"
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

ExitCode explain_job(ExplainOptions options, Output& output) {
  return run_job_session<ExplainSession>(
      options, output, [&](auto& session, ClusterClient& cluster, const OnFinished& on_finished) {
        session.emplace(cluster.client, cluster.text_reader(), cluster.clock, options, output,
                        on_finished);
      });
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
  declare_job_argument(flags, options.job, options.ns, "explain");
  flags.number("--index NUMBER", options.index, "Explain this index only",
               {0, std::numeric_limits<int64_t>::max()});
  flags.number("--tail NUMBER", options.log_lines,
               "Number of log lines to print of the pod that decided", {0, kMaxLogLines});
  declare_json_output(flags, options.json);
  flags.duration("--backoff-base DURATION", options.backoff_base,
                 "First retry delay of the Job's controller (default: as `windlass up` reports; "
                 "10s on other servers)");
  flags.duration("--backoff-cap DURATION", options.backoff_cap,
                 "Longest retry delay of the Job's controller (default: as `windlass up` reports; "
                 "10m on other servers)");
  declare_cluster_flags(flags, options.cluster, LocalCluster::yes);
  flags.paragraph("Works with any Kubernetes cluster, and changes nothing.");
  flags.exit_codes({{0, "Explained"}, {1, "No such Job, or no answer"}, {2, "Wrong usage"}});
  flags.examples({"windlass explain job/nightly", "windlass explain job/nightly --index 3",
                  "windlass explain job/nightly -n batch -o json"});
}

Command explain_command() {
  return make_command<ExplainOptions>(
      "explain", "Explain why a Job ended as it did, or what it waits for", explain_job);
}

class ExplainSession::Impl {
 public:
  Impl(client::ApiClient& api, ReadText read_text, env::Clock& clock, ExplainOptions options,
       Output& output, std::function<void(ExitCode)> on_finished)
      : api_(api),
        read_text_(std::move(read_text)),
        clock_(clock),
        options_(std::move(options)),
        output_(output),
        on_finished_(std::move(on_finished)) {}

  void start() {
    api_.get({&api::kinds::job(), options_.ns, options_.job},
             [this](Result<client::ObjectPtr> job) {
               if (!job) {
                 return fail_with(job.error());
               }
               evidence_.job = *std::move(job);
               read_periods();
             });
  }

 private:
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
    list_job_pods(api_, evidence_.job, [this](Result<std::vector<client::ObjectPtr>> pods) {
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
    const auto source = explain::log_source(explanation_);
    if (!source || options_.log_lines == 0) {
      return print();
    }
    const std::string container =
        source->container.empty() ? "" : "&container=" + source->container;
    read_text_(fmt::format("/api/v1/namespaces/{}/pods/{}/log?tailLines={}{}", options_.ns,
                           source->pod, options_.log_lines, container),
               [this](const Result<std::string>& text) {
                 if (text) {
                   explanation_.log = lines_of(*text);
                 } else {
                   explanation_.log_error = text.error().message;
                 }
                 print();
               });
  }

  void print() {
    output_.out(options_.json ? explain::as_json(explanation_)
                              : explain::as_text(explanation_, evidence_.now));
    on_finished_(ExitCode::ok);
  }

  void fail_with(const Status& status) {
    output_.err(fmt::format("error: {}\n", status.message));
    on_finished_(ExitCode::failed);
  }

  client::ApiClient& api_;
  ReadText read_text_;
  env::Clock& clock_;
  const ExplainOptions options_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  explain::Evidence evidence_;
  std::vector<client::ObjectPtr> silent_;  // pods whose events are still to be read
  explain::Explanation explanation_;
};

ExplainSession::ExplainSession(client::ApiClient& api, ReadText read_text, env::Clock& clock,
                               ExplainOptions options, Output& output,
                               std::function<void(ExitCode)> on_finished)
    : impl_(std::make_unique<Impl>(api, std::move(read_text), clock, std::move(options), output,
                                   std::move(on_finished))) {}

ExplainSession::~ExplainSession() = default;

void ExplainSession::start() {
  impl_->start();
}

}  // namespace windlass::cli
