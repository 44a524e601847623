#include "cli/manifests/rerun_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/job/completed_indexes.h"
#include "api/job/job_constants.h"
#include "api/job/job_status.h"
#include "controllers/job/adapter.h"
#include "engine/policy/failure_policy.h"
#include "engine/policy/success_policy.h"
#include "engine/state/record.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::cli {
namespace {

using api::batch::v1::Job;

constexpr std::string_view kSuffix = "-rerun-";
constexpr size_t kMaxLabel = 63;

// Set by servers, controllers and clients for the old Job.
constexpr auto kOldLabels =
    std::to_array<std::string_view>({api::kJobNameLabel, api::kControllerUidLabel,
                                     api::kLegacyJobNameLabel, api::kLegacyControllerUidLabel});
constexpr auto kOldAnnotations = std::to_array<std::string_view>(
    {engine::kRecordKey, api::kCompletedIndexesAnnotation, api::kRerunOfAnnotation,
     api::kCronJobTimestampAnnotation, api::kJobTrackingFinalizer,
     "kubectl.kubernetes.io/last-applied-configuration"});

template <class Map, size_t kCount>
void erase_keys(Map& map, const std::array<std::string_view, kCount>& keys) {
  for (const std::string_view key : keys) {
    map.erase(std::string(key));
  }
}

std::string job_words(const Job& job) {
  return "job/" + job.metadata().name();
}

template <class... Arguments>
Failure refuse(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return fail(plain_error(fmt::format(text, std::forward<Arguments>(arguments)...)));
}

IndexSet all_but(const IndexSet& indexes, int32_t completions) {
  IndexSet others;
  int32_t next = 0;
  for (const IndexSet::Interval& interval : indexes.intervals()) {
    if (interval.first > next) {
      others.insert(IndexSet::Interval{next, interval.first - 1});
    }
    next = interval.last + 1;
  }
  if (next < completions) {
    others.insert(IndexSet::Interval{next, completions - 1});
  }
  return others;
}

IndexSet unfinished(const Job& job) {
  const int32_t completions = job.spec().completions();
  return all_but(IndexSet::parse_stored(job.status().completed_indexes(), completions).set,
                 completions);
}

// A rerun of a rerun has the same prefix. Pods are named `<name>-<index>`, which must be a label.
std::string generated_prefix(const Job& job) {
  std::string name = job.metadata().name();
  const bool is_rerun = job.metadata().annotations().contains(std::string(api::kRerunOfAnnotation));
  const size_t suffix = kSuffix.size() + engine::kSuffixLength;
  if (is_rerun && name.size() > suffix &&
      std::string_view(name).substr(name.size() - suffix).starts_with(kSuffix)) {
    name.resize(name.size() - suffix);
  }
  const size_t index = std::to_string(job.spec().completions() - 1).size() + 1;
  name.resize(std::min(name.size(), kMaxLabel - suffix - index));
  return name.append(kSuffix);
}

Result<void> check_indexes(const Job& job, const IndexSet& indexes) {
  if (indexes.empty()) {
    return refuse("no index to run");
  }
  if (indexes.last() >= job.spec().completions()) {
    return refuse("index {} does not exist: {} has {} indexes, and the first is 0", indexes.last(),
                  job_words(job), job.spec().completions());
  }
  return {};
}

// The success policy counts the indexes that the new Job does not run.
Result<void> check_success_policy(const Job& job, const std::string& completed) {
  if (meets_success_policy(job, completed)) {
    return refuse(
        "the other indexes of {} meet its spec.successPolicy, so the new Job would run nothing",
        job_words(job));
  }
  return {};
}

Result<void> set_completed(Job& made, const Job& job, const IndexSet& indexes) {
  const std::string completed = all_but(indexes, job.spec().completions()).to_string();
  if (completed.empty()) {
    return {};  // all indexes run
  }
  if (completed.size() > IndexSet::kMaxExactBytes) {
    return refuse("the list of the other indexes takes {} bytes, and may take {}", completed.size(),
                  IndexSet::kMaxExactBytes);
  }
  TRY_VOID(check_success_policy(job, completed));
  (*made.mutable_metadata()->mutable_annotations())[std::string(api::kCompletedIndexesAnnotation)] =
      completed;
  return {};
}

void copy_metadata(const Job& job, const RerunRequest& request, Job& made) {
  auto& metadata = *made.mutable_metadata();
  metadata.set_namespace_(job.metadata().namespace_());
  if (request.name.empty()) {
    metadata.set_generate_name(generated_prefix(job));
  } else {
    metadata.set_name(request.name);
  }
  *metadata.mutable_labels() = job.metadata().labels();
  erase_keys(*metadata.mutable_labels(), kOldLabels);
  auto& annotations = *metadata.mutable_annotations();
  annotations = job.metadata().annotations();
  erase_keys(annotations, kOldAnnotations);
  annotations[std::string(api::kRerunOfAnnotation)] = fmt::format(
      "{}/{}/{}", job.metadata().namespace_(), job.metadata().name(), job.metadata().uid());
  if (!request.counts.empty()) {
    engine::JobRecord record;
    record.counts = request.counts;
    record.counts.fit();
    annotations[std::string(engine::kRecordKey)] = engine::format_record(record);
  }
}

void copy_spec(const Job& job, const RerunRequest& request, Job& made) {
  auto& spec = *made.mutable_spec();
  spec = job.spec();
  spec.clear_selector();
  spec.clear_manual_selector();
  spec.clear_suspend();
  auto& metadata = *spec.mutable_template_()->mutable_metadata();
  erase_keys(*metadata.mutable_labels(), kOldLabels);
  metadata.clear_creation_timestamp();
  if (!request.managed_by.empty()) {
    spec.set_managed_by(request.managed_by);
  }
}

}  // namespace

bool meets_success_policy(const Job& job, const std::string& completed) {
  const engine::JobView view = controllers::job::read_job(job);
  const int64_t completions = job.spec().completions();
  const engine::SuccessPolicy policy(
      view.spec.success_policy.value_or(std::vector<engine::SuccessRule>()), completions,
      engine::IndexBits::parse(completed, completions));
  return policy.first_met().has_value();
}

Result<void> check_rerunnable(const Job& job) {
  if (job.spec().completion_mode() != api::kIndexed) {
    return refuse(
        "{} is not an Indexed Job: its pods have no numbers, so no part of it can run again",
        job_words(job));
  }
  if (!api::is_finished(job)) {
    return refuse(
        "{} is not finished: an index could run in both Jobs at once. Wait for its end; "
        "`windlass explain {}` shows what it waits for",
        job_words(job), job_words(job));
  }
  if (job.spec().manual_selector()) {
    return refuse(
        "{} has spec.manualSelector: the selector of the new Job would match the old pods",
        job_words(job));
  }
  return {};
}

Result<IndexSet> failed_indexes(const Job& job) {
  const auto failed =
      IndexSet::parse_stored(job.status().failed_indexes(), job.spec().completions()).set;
  if (!failed.empty()) {
    return failed;
  }
  if (unfinished(job).empty()) {
    return refuse("every index of {} is completed", job_words(job));
  }
  if (!job.status().has_failed_indexes()) {
    return refuse(
        "the status of {} lists no failed indexes: it has no spec.backoffLimitPerIndex. Run the "
        "indexes that are not completed with --unfinished",
        job_words(job));
  }
  return refuse("no index of {} failed. Run the indexes that are not completed with --unfinished",
                job_words(job));
}

Result<IndexSet> unfinished_indexes(const Job& job) {
  IndexSet indexes = unfinished(job);
  if (indexes.empty()) {
    return refuse("every index of {} is completed", job_words(job));
  }
  return indexes;
}

engine::IndexCounts kept_counts(const Job& job, const std::vector<api::ObjectPtr>& pods,
                                const IndexSet& indexes) {
  const engine::JobView view = controllers::job::read_job(job);
  engine::IndexCounts kept;
  const auto raise = [&](int64_t index, engine::IndexFailures failures) {
    if (index <= indexes.last() && indexes.contains(static_cast<int32_t>(index))) {
      kept.raise(static_cast<int32_t>(index), failures, Time());
    }
  };
  const engine::JobRecord record = engine::parse_record(view.record);
  for (const auto& [index, entry] : record.counts.entries()) {
    raise(index, entry.failures);
  }
  for (const api::ObjectPtr& object : pods) {
    const engine::PodView pod = controllers::job::read_pod(*object, "");
    engine::IndexFailures failures{engine::parse_failure_count(pod.failure_count),
                                   engine::parse_failure_count(pod.ignored_failure_count)};
    if (pod.phase == engine::Phase::failed && !pod.dropped) {
      const bool ignored = engine::judge_failed_pod(view, pod).action == engine::Action::ignore;
      int32_t& count = ignored ? failures.ignored : failures.counted;
      count = engine::next_count(count);
    }
    raise(engine::parse_index(pod.completion_index), failures);
  }
  return kept;
}

Result<Job> make_rerun(const Job& job, const RerunRequest& request) {
  TRY_VOID(check_rerunnable(job));
  TRY_VOID(check_indexes(job, request.indexes));
  Job made;
  copy_metadata(job, request, made);
  copy_spec(job, request, made);
  TRY_VOID(set_completed(made, job, request.indexes));
  return made;
}

}  // namespace windlass::cli
