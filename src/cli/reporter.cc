#include "cli/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/job/job_constants.h"
#include "base/bounded_seconds.h"
#include "base/whole_second.h"
#include "controllers/job/adapter.h"
#include "explain/index_text.h"
#include "explain/pod_text.h"
#include "job/backoff.h"
#include "job/failure_policy.h"
#include "job/pod_factory.h"
#include "job/record.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/event.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

using api::batch::v1::Job;
using api::batch::v1::JobCondition;
using api::core::v1::Event;
using api::core::v1::Pod;

const JobCondition* find_true(const Job& job, std::string_view type) {
  for (const auto& condition : job.status().conditions()) {
    if (condition.type() == type && condition.status() == "True") {
      return &condition;
    }
  }
  return nullptr;
}

bool was_disrupted(const Pod& pod) {
  return std::any_of(pod.status().conditions().begin(), pod.status().conditions().end(),
                     [](const auto& condition) {
                       return condition.type() == "DisruptionTarget" &&
                              condition.status() == "True";
                     });
}

// Of the controller that made it; "" without one.
std::string owner_uid(const Pod& pod) {
  for (const auto& owner : pod.metadata().owner_references()) {
    if (owner.controller()) {
      return owner.uid();
    }
  }
  return "";
}

std::string job_title(const Job& job) {
  return "job.batch/" + job.metadata().name();
}

std::string shape_text(const Job& job) {
  const auto& spec = job.spec();
  const std::string retries =
      spec.has_backoff_limit_per_index()
          ? fmt::format("backoffLimitPerIndex {}", spec.backoff_limit_per_index())
          : fmt::format("backoffLimit {}", spec.backoff_limit());
  if (!spec.has_completions()) {
    return fmt::format("work queue, parallelism {}, {}", spec.parallelism(), retries);
  }
  return fmt::format("completions {}, parallelism {}, {}", spec.completions(), spec.parallelism(),
                     retries);
}

// Why a Job that was just created will not be worked on, or "".
std::string idle_text(const Job& job) {
  const std::string& manager = job.spec().managed_by();
  if (manager.empty() || manager == api::kBuiltInJobController) {
    return job.spec().suspend() ? "is suspended and will not start by itself" : "";
  }
  return fmt::format("is left to {} (spec.managedBy), which is not here", manager);
}

struct Judgement {
  std::string text;
  job::Action action = job::Action::none;
};

// What the failure policy says about this pod, in the words of the policy.
Judgement judge(const job::JobView& job, const job::PodView& pod) {
  if (!job.spec.failure_policy) {
    return {"counts as a failure"};
  }
  const job::Verdict verdict = job::match_failure_policy(
      *job.spec.failure_policy, pod, job.spec.backoff_limit_per_index.has_value());
  if (verdict.rule < 0) {
    return {"no rule matches, so it counts as a failure"};
  }
  const auto& rule = (*job.spec.failure_policy)[static_cast<size_t>(verdict.rule)];
  return {fmt::format("rule {}{} says {}", verdict.rule,
                      rule.name ? fmt::format(" ({})", *rule.name) : "",
                      job::action_name(verdict.action)),
          verdict.action};
}

job::Options backoff_options(const Reporter::Backoff& backoff) {
  job::Options options;
  options.backoff_base = backoff.base;
  options.backoff_cap = backoff.cap;
  return options;
}

double seconds_until(Time then, Time now) {
  return std::chrono::duration<double>(then - now).count();
}

// With a limit per index, each waits for itself (job-controller.md 7.12).
struct IndexOutcome {
  bool is_over = false;
  std::optional<Time> retry_at;
};

IndexOutcome index_outcome(const job::JobView& job, const job::PodView& pod, job::Action action,
                           const job::Options& options, Time wall) {
  if (!job.spec.backoff_limit_per_index || job.spec.suspend || action == job::Action::fail_job) {
    return {};
  }
  const int32_t failures = job::parse_failure_count(pod.failure_count);
  if (action == job::Action::fail_index ||
      (action != job::Action::ignore && failures >= *job.spec.backoff_limit_per_index)) {
    return {true, std::nullopt};
  }
  const int64_t count = int64_t{failures} + job::parse_failure_count(pod.ignored_failure_count) + 1;
  const Time ended = latest_instant(job::finish_time(pod), wall);
  return {false, ended + job::backoff_delay(count, options)};
}

// A text about a pod that could not be made, without the pod's name, which is another one with
// every try, and without what is put before the text when there are many.
std::string without_pod_name(std::string text, const std::string& job) {
  constexpr std::string_view kCombined = "(combined from similar events): ";
  if (text.starts_with(kCombined)) {
    text.erase(0, kCombined.size());
  }
  const std::string begin = fmt::format("\"{}-", job);
  const size_t from = text.find(begin);
  const size_t to = from == std::string::npos ? from : text.find('"', from + begin.size());
  return to == std::string::npos ? text : text.erase(from, to - from);
}

}  // namespace

std::optional<Verdict> verdict_of(const Job& job) {
  if (const auto* complete = find_true(job, "Complete")) {
    return Verdict{true, complete->reason(), complete->message()};
  }
  if (const auto* failed = find_true(job, "Failed")) {
    return Verdict{false, failed->reason(), failed->message()};
  }
  return std::nullopt;
}

std::string format_elapsed(Duration elapsed) {
  if (elapsed < minutes(10)) {
    return fmt::format("{:.2f}s", std::chrono::duration<double>(elapsed).count());
  }
  return format_duration(std::chrono::floor<std::chrono::seconds>(elapsed));
}

std::string failed_text(int64_t failed, int64_t ignored) {
  return fmt::format(", {} failed", failed) +
         (ignored == 0 ? "" : fmt::format(", {} ignored", ignored));
}

std::string final_text(const Job& job, std::string_view took, int64_t ignored) {
  const auto verdict = verdict_of(job);
  const auto& status = job.status();
  std::string counts = fmt::format("{} succeeded", status.succeeded());
  if (job.spec().has_completions()) {
    counts = fmt::format("{} of {} succeeded", status.succeeded(), job.spec().completions());
  }
  counts += failed_text(status.failed(), ignored);
  if (!status.failed_indexes().empty()) {
    counts += ", failed indexes " + explain::short_indexes(status.failed_indexes());
  }
  return fmt::format("job.batch/{} {}: {}: {} ({}, {})\n", job.metadata().name(),
                     verdict->complete ? "Complete" : "Failed", verdict->reason, verdict->message,
                     counts, took);
}

void Reporter::line(MonotonicTime now, std::string_view text) {
  output_.err(fmt::format("{:>8}  {}\n", format_elapsed(now - start_), text));
}

std::vector<JobProgress> Reporter::progress(Time wall) const {
  std::vector<JobProgress> all;
  for (const auto& [uid, said] : jobs_) {
    const auto& status = said.job->status();
    JobProgress job;
    if (said.job->spec().has_completions()) {
      job.completions = said.job->spec().completions();
    }
    job.succeeded = status.succeeded();
    job.failed = status.failed();
    job.active = status.active();
    job.terminating = status.terminating();
    job.completed_indexes = status.completed_indexes();
    job.failed_indexes = status.failed_indexes();
    job.over = verdict_of(*said.job).has_value();
    const bool may_retry = !stopping_ && !job.over;
    if (said.retry_at > wall && may_retry) {
      job.retry_in = said.retry_at - wall;
    }
    if (const auto next = said.index_retries.upper_bound(wall);
        next != said.index_retries.end() && may_retry) {
      job.retry_in = *next - wall;
    }
    all.push_back(std::move(job));
  }
  return all;
}

void Reporter::note(std::string_view text, MonotonicTime now) {
  line(now, text);
}

int64_t Reporter::ignored_failures(const std::string& job_uid) const {
  const auto found = jobs_.find(job_uid);
  return found == jobs_.end() ? 0 : found->second.ignored;
}

Duration Reporter::longest_grace() const {
  Duration longest{};
  for (const auto& [uid, pod] : pods_) {
    if (pod.phase == "Running") {
      longest = std::max(longest, pod.grace);
    }
  }
  return longest;
}

void Reporter::job_changed(const Job& job, MonotonicTime now, Time wall) {
  auto [found, is_new] = jobs_.try_emplace(job.metadata().uid());
  JobSaid& said = found->second;
  said.job = std::make_shared<const Job>(job);
  if (is_new) {
    line(now, fmt::format("{} created: {}", job_title(job), shape_text(job)));
    if (const std::string idle = idle_text(job); !idle.empty()) {
      line(now, fmt::format("{} {}", job_title(job), idle));
    }
  }
  // On the way to the verdict, so that a long grace period is no riddle.
  for (const std::string_view type : {"FailureTarget", "SuccessCriteriaMet"}) {
    const auto* condition = find_true(job, type);
    if (condition != nullptr && said.condition.empty() && !verdict_of(job)) {
      said.condition = condition->type();
      line(now, fmt::format("{} ends: {}: {}", job_title(job), condition->reason(),
                            condition->message()));
      told_[job.metadata().uid()].remember(condition->message());
    }
  }
  announce_retry(job, said, now, wall);
}

// The back-off of the whole Job is in its record; that of an index is told with its failed pod.
void Reporter::announce_retry(const Job& job, JobSaid& said, MonotonicTime now, Time wall) {
  if (stopping_ || job.spec().has_backoff_limit_per_index() || !said.condition.empty() ||
      verdict_of(job)) {
    return;
  }
  const auto& annotations = job.metadata().annotations();
  const auto record = annotations.find(std::string(job::kRecordKey));
  if (record == annotations.end()) {
    return;
  }
  const job::BackoffRecord backoff =
      job::parse_record(job::own_record(record->second, job.metadata().uid())).backoff;
  const Time retry_at = backoff.ready_at(backoff_options(backoff_));
  if (retry_at <= wall || retry_at == said.retry_at) {
    return;
  }
  said.retry_at = retry_at;
  line(now,
       fmt::format("{} retries in {:.1f}s, after {}", job_title(job), seconds_until(retry_at, wall),
                   explain::failures_text(backoff.failures(), said.ignored > 0)));
}

void Reporter::pod_changed(const Pod& pod, MonotonicTime now, Time wall) {
  PodSaid& said = pods_[pod.metadata().uid()];
  const std::string& phase = pod.status().phase();
  said.title = explain::pod_title(pod);
  said.owner = owner_uid(pod);
  said.grace = bounded_seconds(pod.spec().termination_grace_period_seconds());
  if (phase == "Pending") {
    const std::string waiting = explain::pod_waiting_text(pod);
    if (!waiting.empty() && told_[pod.metadata().uid()].is_news(waiting)) {
      pod_waits(said, waiting, now);
    }
  }
  if (phase == std::exchange(said.phase, phase)) {
    return;
  }
  if (phase == "Running") {
    line(now, fmt::format("pod {} running", said.title));
  } else if (phase == "Succeeded") {
    line(now, fmt::format("pod {} succeeded", said.title));
  } else if (phase == "Failed") {
    pod_failed(pod, now, wall);
  }
}

// Pods of one Job mostly wait for the same: the first is named, the second stands for the rest.
void Reporter::pod_waits(const PodSaid& pod, const std::string& waiting, MonotonicTime now) {
  const size_t told = pod.owner.empty() ? 0 : waiting_pods_[{pod.owner, waiting}]++;
  if (told == 0) {
    line(now, fmt::format("pod {} pending: {}", pod.title, waiting));
  } else if (told == 1) {
    line(now,
         fmt::format("pod {} pending: for the same reason; further pods are not named", pod.title));
  }
}

std::string Reporter::judgement_text(JobSaid& said, const Pod& pod, Time wall) const {
  const job::JobView job = controllers::job::read_job(*said.job);
  const job::PodView failed = controllers::job::read_pod(pod, job::kTrackingFinalizer);
  const Judgement judgement = judge(job, failed);
  said.ignored += judgement.action == job::Action::ignore ? 1 : 0;
  const IndexOutcome index =
      index_outcome(job, failed, judgement.action, backoff_options(backoff_), wall);
  if (index.is_over) {
    return judgement.text + "; its index has failed";
  }
  if (stopping_ || !index.retry_at || *index.retry_at <= wall) {
    return judgement.text;
  }
  said.index_retries.erase(said.index_retries.begin(), said.index_retries.upper_bound(wall));
  said.index_retries.insert(*index.retry_at);
  return fmt::format("{}; its index is retried in {:.1f}s", judgement.text,
                     seconds_until(*index.retry_at, wall));
}

void Reporter::pod_failed(const Pod& pod, MonotonicTime now, Time wall) {
  // Deleted by the suspension, or ended with its node: either way by this command.
  if (stopping_ && (pod.metadata().has_deletion_timestamp() || was_disrupted(pod))) {
    line(now, fmt::format("pod {} stopped", explain::pod_title(pod)));
    return;
  }
  std::string rule;
  if (const auto job = jobs_.find(owner_uid(pod)); job != jobs_.end()) {
    // Once the outcome is known the rest is stopped, and how it ends is judged by no rule.
    rule = job->second.condition.empty() ? "; " + judgement_text(job->second, pod, wall)
                                         : "; stopped, because the Job has its outcome";
  }
  const std::string why = explain::pod_failure_text(pod);
  told_[pod.metadata().uid()].remember(why);
  line(now, fmt::format("pod {} failed: {}{}", explain::pod_title(pod), why, rule));
}

void Reporter::event_seen(const Event& event, MonotonicTime now) {
  const auto& about = event.involved_object();
  const auto pod = pods_.find(about.uid());
  // Why a container of a pending pod is not started its status says, too.
  const bool in_status =
      event.reason() == "Failed" && pod != pods_.end() && pod->second.phase == "Pending";
  const std::string text = as_one_line(event.message());
  const std::string key =
      event.reason() == "FailedCreate" ? without_pod_name(text, about.name()) : text;
  if (event.type() != "Warning" || in_status || !told_[about.uid()].is_news(key)) {
    return;
  }
  // The condition PodScheduled says the same, a little later.
  if (event.reason() == "FailedScheduling" && pod != pods_.end()) {
    return pod_waits(pod->second, text, now);
  }
  std::string title = fmt::format("{} {}", about.kind(), about.name());
  if (about.kind() == "Job") {
    title = "job.batch/" + about.name();
  } else if (about.kind() == "Pod") {
    title = "pod " + (pod == pods_.end() ? about.name() : pod->second.title);
  }
  line(now, fmt::format("warning: {}: {}: {}", title, event.reason(), text));
}

}  // namespace windlass::cli
