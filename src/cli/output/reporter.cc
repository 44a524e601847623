#include "cli/output/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "api/job/job_constants.h"
#include "base/index_set.h"
#include "base/time.h"
#include "base/utf8.h"
#include "controllers/job/adapter.h"
#include "engine/pods/pod_factory.h"
#include "engine/policy/backoff.h"
#include "engine/policy/failure_policy.h"
#include "engine/state/record.h"
#include "explain/index_text.h"
#include "explain/pod_text.h"
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

// Why no pods of a Job that was just created will run, or "".
std::string idle_text(const Job& job) {
  const std::string& manager = job.spec().managed_by();
  if (manager.empty() || manager == api::kBuiltInJobController) {
    return job.spec().suspend() ? "is suspended; resume it with spec.suspend: false" : "";
  }
  return fmt::format("will not run: its spec.managedBy names another controller, {}", manager);
}

struct JudgementText {
  std::string text;
  engine::Action action = engine::Action::none;
};

// The verdict of the failure policy about this pod, in the words of the policy.
JudgementText judge(const engine::JobView& job, const engine::PodView& pod) {
  if (pod.dropped) {
    return {"does not count: the Job removed it"};
  }
  if (!job.spec.failure_policy) {
    return {"counts as a failure"};
  }
  const engine::RuleMatch match = engine::judge_failed_pod(job, pod);
  if (match.rule < 0) {
    return {"no rule matches: counts as a failure"};
  }
  const auto& rule = (*job.spec.failure_policy)[static_cast<size_t>(match.rule)];
  return {fmt::format("rule {}{} says {}", match.rule,
                      rule.name ? fmt::format(" ({})", *rule.name) : "",
                      engine::action_name(match.action)),
          match.action};
}

engine::Options backoff_options(const Reporter::Backoff& backoff) {
  engine::Options options;
  options.backoff_base = backoff.base;
  options.backoff_cap = backoff.cap;
  return options;
}

double seconds_until(Time then, Time now) {
  return std::chrono::duration<double>(then - now).count();
}

// With a limit per index, each index has its own retry delay (job-controller.md 7.12).
struct IndexOutcome {
  bool is_over = false;
  std::optional<Time> retry_at;
};

IndexOutcome index_outcome(const engine::JobView& job, const engine::PodView& pod,
                           engine::Action action, const engine::Options& options, Time wall) {
  if (!job.spec.backoff_limit_per_index || job.spec.suspend || action == engine::Action::fail_job) {
    return {};
  }
  const int32_t failures = engine::parse_failure_count(pod.failure_count);
  if (action == engine::Action::fail_index ||
      (action != engine::Action::ignore && failures >= *job.spec.backoff_limit_per_index)) {
    return {true, std::nullopt};
  }
  const int64_t count =
      int64_t{failures} + engine::parse_failure_count(pod.ignored_failure_count) + 1;
  const Time ended = latest_instant(engine::finish_time(pod), wall);
  return {false, ended + engine::backoff_delay(count, options)};
}

// A text about a pod that could not be created, without the pod's name, which is different with
// every try, and without the prefix of combined events.
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

void read_status(const Job& job, JobProgress& progress) {
  const auto& status = job.status();
  if (job.spec().has_completions()) {
    progress.completions = job.spec().completions();
  }
  progress.succeeded = status.succeeded();
  progress.failed = status.failed();
  progress.terminating = status.terminating();
  if (job.spec().has_backoff_limit_per_index()) {
    progress.failed_indexes =
        IndexSet::parse_stored(status.failed_indexes(), std::numeric_limits<int32_t>::max())
            .set.size();
  }
  if (const auto verdict = verdict_of(job)) {
    progress.verdict = verdict->complete ? "Complete" : "Failed: " + one_line(verdict->reason);
  }
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
  if (detail_ == Detail::nothing) {
    return;
  }
  output_.err(fmt::format("{:>8}  {}\n", format_elapsed(now - start_), text));
}

std::vector<JobProgress> Reporter::progress(MonotonicTime now, Time wall) {
  std::vector<JobProgress> all(jobs_.size());
  for (auto& [uid, said] : jobs_) {
    JobProgress& job = all[said.order];
    job.name = said.job->metadata().name();
    read_status(*said.job, job);
    job.running = said.running;
    job.pending = said.pending;
    const auto most =
        std::max_element(said.waiting.begin(), said.waiting.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    job.pending_for = most == said.waiting.end() ? "" : one_line(most->first);
    // Failed indexes are done, too: the time left counts them so.
    said.pace.add(now, job.succeeded + job.failed_indexes.value_or(0));
    job.rate = said.pace.rate();
    const bool may_retry = !stopping_ && job.verdict.empty();
    if (said.retry_at > wall && may_retry) {
      job.retry_in = said.retry_at - wall;
    }
    if (const auto next = said.index_retries.upper_bound(wall);
        next != said.index_retries.end() && may_retry) {
      job.retry_in = *next - wall;
      job.retrying = std::distance(next, said.index_retries.end());
    }
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
    said.order = jobs_.size() - 1;
    said.pace.add(now, job.status().succeeded());
    for (const auto& [uid, pod] : pods_) {
      if (pod.owner == job.metadata().uid()) {
        count_pod(pod, 1);
      }
    }
    line(now, fmt::format("{} created: {}", job_title(job), shape_text(job)));
    if (const std::string idle = idle_text(job); !idle.empty()) {
      line(now, fmt::format("{} {}", job_title(job), idle));
    }
  }
  // Before the verdict, because a long grace period may lie in between.
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

// The backoff of the whole Job is in its record; that of an index is printed with its failed pod.
void Reporter::announce_retry(const Job& job, JobSaid& said, MonotonicTime now, Time wall) {
  if (stopping_ || job.spec().has_backoff_limit_per_index() || !said.condition.empty() ||
      verdict_of(job)) {
    return;
  }
  const engine::JobView view = controllers::job::read_job(job);
  if (view.record.empty()) {
    return;
  }
  const engine::RetryDelay delay =
      engine::parse_record(view.record).delay(view.spec, backoff_options(backoff_));
  const Time retry_at = delay.at;
  if (retry_at <= wall || retry_at == said.retry_at) {
    return;
  }
  said.retry_at = retry_at;
  if (detail_ != Detail::summary) {
    line(now, fmt::format("{} retries in {:.1f}s, after {}", job_title(job),
                          seconds_until(retry_at, wall),
                          explain::failures_text(delay.failures, said.ignored > 0)));
  }
}

// Into the counts of its Job, or out of them.
void Reporter::count_pod(const PodSaid& pod, int64_t by) {
  const auto job = jobs_.find(pod.owner);
  if (job == jobs_.end() || pod.terminating) {
    return;
  }
  JobSaid& said = job->second;
  if (pod.phase == "Running") {
    said.running += by;
  } else if (pod.phase == "Pending") {
    said.pending += by;
    if (!pod.waiting.empty() && (said.waiting[pod.waiting] += by) == 0) {
      said.waiting.erase(pod.waiting);
    }
  }
}

void Reporter::pod_gone(const std::string& uid) {
  if (const auto pod = pods_.find(uid); pod != pods_.end()) {
    count_pod(pod->second, -1);
    pods_.erase(pod);
  }
}

void Reporter::pod_changed(const Pod& pod, MonotonicTime now, Time wall) {
  PodSaid& said = pods_[pod.metadata().uid()];
  count_pod(said, -1);
  const std::string before = std::exchange(said.phase, pod.status().phase());
  said.title = explain::pod_title(pod);
  said.owner = owner_uid(pod);
  said.terminating = pod.metadata().has_deletion_timestamp();
  said.grace = bounded_seconds(pod.spec().termination_grace_period_seconds());
  said.waiting = said.phase == "Pending" ? explain::pod_waiting_text(pod) : "";
  count_pod(said, 1);
  if (!said.waiting.empty() && told_[pod.metadata().uid()].is_new(said.waiting)) {
    pod_waits(said, said.waiting, now);
  }
  if (said.phase == before) {
    return;
  }
  if (said.phase == "Failed") {
    pod_failed(pod, now, wall);
  } else if (detail_ == Detail::every_pod && said.phase == "Running") {
    line(now, fmt::format("pod {} running", said.title));
  } else if (detail_ == Detail::every_pod && said.phase == "Succeeded") {
    line(now, fmt::format("pod {} succeeded", said.title));
  }
}

// Pods of one Job mostly wait for the same reason: names the first two and leaves out the rest.
void Reporter::pod_waits(const PodSaid& pod, const std::string& waiting, MonotonicTime now) {
  if (detail_ == Detail::summary) {
    return;
  }
  const size_t told = pod.owner.empty() ? 0 : waiting_pods_[{pod.owner, waiting}]++;
  if (told == 0) {
    line(now, fmt::format("pod {} pending: {}", pod.title, waiting));
  } else if (told == 1) {
    line(now,
         fmt::format("pod {} pending for the same reason; not listing further pods", pod.title));
  }
}

std::string Reporter::judgement_text(JobSaid& said, const Pod& pod, Time wall) const {
  const engine::JobView job = controllers::job::read_job(*said.job);
  const engine::PodView failed = controllers::job::read_pod(pod, engine::kTrackingFinalizer);
  const JudgementText judgement = judge(job, failed);
  said.ignored += judgement.action == engine::Action::ignore ? 1 : 0;
  const IndexOutcome index =
      index_outcome(job, failed, judgement.action, backoff_options(backoff_), wall);
  if (index.is_over) {
    return judgement.text + "; the index has failed";
  }
  if (stopping_ || !index.retry_at || *index.retry_at <= wall) {
    return judgement.text;
  }
  said.index_retries.erase(said.index_retries.begin(), said.index_retries.upper_bound(wall));
  said.index_retries.insert(*index.retry_at);
  return fmt::format("{}; the index retries in {:.1f}s", judgement.text,
                     seconds_until(*index.retry_at, wall));
}

void Reporter::pod_failed(const Pod& pod, MonotonicTime now, Time wall) {
  // Deleted by the suspension, or ended with its node: in both cases by this command.
  if (stopping_ && (pod.metadata().has_deletion_timestamp() || was_disrupted(pod))) {
    if (detail_ != Detail::summary) {
      line(now, fmt::format("pod {} stopped", explain::pod_title(pod)));
    }
    return;
  }
  std::string rule;
  if (const auto job = jobs_.find(owner_uid(pod)); job != jobs_.end()) {
    // The Job stops the other pods once its outcome is known, and no rule applies to them.
    rule = job->second.condition.empty() ? "; " + judgement_text(job->second, pod, wall)
                                         : "; stopped, because the outcome of the Job is known";
  }
  const std::string why = explain::pod_failure_text(pod);
  told_[pod.metadata().uid()].remember(why);
  last_failure_.text =
      one_line(fmt::format("pod {} failed: {}{}", explain::pod_title(pod), why, rule));
  last_failure_.log =
      logs_.lines_of ? logs_.lines_of(pod.metadata().uid()) : std::vector<std::string>();
  print_failure(now);
}

void Reporter::print_failure(MonotonicTime now) {
  if (detail_ != Detail::summary || logs_.printed) {
    line(now, last_failure_.text);
  }
  if (logs_.printed) {
    for (const std::string& text : last_failure_.log) {
      output_.err(fmt::format("{:>8}  | {}\n", "", text));
    }
  }
}

void Reporter::event_seen(const Event& event, MonotonicTime now) {
  const auto& about = event.involved_object();
  const auto pod = pods_.find(about.uid());
  // The status of a pending pod has the reason as well.
  const bool in_status =
      event.reason() == "Failed" && pod != pods_.end() && pod->second.phase == "Pending";
  const std::string text = as_one_line(event.message());
  const std::string key =
      event.reason() == "FailedCreate" ? without_pod_name(text, about.name()) : text;
  if (event.type() != "Warning" || in_status || !told_[about.uid()].is_new(key)) {
    return;
  }
  // Thousands of pods may have the same to say.
  if (detail_ == Detail::summary && !told_[""].is_new(event.reason() + ": " + text)) {
    return;
  }
  // The condition PodScheduled has the same text a little later.
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
