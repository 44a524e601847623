#include "cli/runs/done_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "api/job/completed_indexes.h"
#include "api/job/job_constants.h"
#include "cli/manifests/rerun_job.h"
#include "cli/output/text.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::cli {
namespace {

using api::batch::v1::Job;
using DoneJob = RunRecord::DoneJob;

constexpr std::string_view kSucceeded = "Succeeded";
constexpr std::string_view kComplete = "Complete";

std::string title_of(const Job& job) {
  return "job.batch/" + job.metadata().name();
}

IndexSet stored_set(const std::string& text, int32_t bound) {
  return IndexSet::parse_stored(text, bound).set;
}

// What is left of one Job: the Job to run, or nothing.
struct RestOfJob {
  std::shared_ptr<const Job> job;
  std::string note;
};

Result<RestOfJob> rest_of_indexed(const std::shared_ptr<const Job>& job, const DoneJob& done) {
  const std::string key(api::kCompletedIndexesAnnotation);
  const int32_t all = job->spec().completions();
  IndexSet indexes = stored_set(done.indexes, all);
  if (const auto own = job->metadata().annotations().find(key);
      own != job->metadata().annotations().end()) {
    indexes.insert(stored_set(own->second, all));
  }
  if (indexes.empty()) {
    return RestOfJob{job, ""};
  }
  const std::string completed = indexes.to_string();
  if (indexes.size() == all || meets_success_policy(*job, completed)) {
    return RestOfJob{nullptr, fmt::format("{} is done: not run again", title_of(*job))};
  }
  if (completed.size() > IndexSet::kMaxExactBytes) {
    return fail(plain_error(fmt::format(
        "{}: the list of its {} completed indexes takes {} bytes, "
        "and may take {}",
        title_of(*job), grouped(indexes.size()), completed.size(), IndexSet::kMaxExactBytes)));
  }
  auto rest = std::make_shared<Job>(*job);
  (*rest->mutable_metadata()->mutable_annotations())[key] = completed;
  return RestOfJob{std::move(rest), fmt::format("{}: {} of {} indexes are done; runs {}",
                                                title_of(*job), grouped(indexes.size()),
                                                grouped(all), grouped(all - indexes.size()))};
}

RestOfJob rest_of_plain(const std::shared_ptr<const Job>& job, const DoneJob& done) {
  if (done.completions == 0) {
    return {job, ""};
  }
  if (!job->spec().has_completions()) {
    return {job, fmt::format("{} is a work queue: its pods know what is left, so all run again",
                             title_of(*job))};
  }
  const int64_t left = job->spec().completions() - done.completions;
  if (left <= 0) {
    return {nullptr, fmt::format("{} is done: not run again", title_of(*job))};
  }
  auto rest = std::make_shared<Job>(*job);
  rest->mutable_spec()->set_completions(static_cast<int32_t>(left));
  return {std::move(rest), fmt::format("{}: {} of {} completions are done; runs {} more",
                                       title_of(*job), grouped(done.completions),
                                       grouped(job->spec().completions()), grouped(left))};
}

Result<RestOfJob> rest_of(const std::shared_ptr<const Job>& job, const DoneJob& done) {
  if (done.complete) {
    return RestOfJob{nullptr, fmt::format("{} is Complete: not run again", title_of(*job))};
  }
  if (job->spec().completion_mode() == api::kIndexed) {
    return rest_of_indexed(job, done);
  }
  return rest_of_plain(job, done);
}

}  // namespace

DoneWork::DoneWork(const StoredRun& run) {
  for (const DoneJob& job : run.record.done) {
    Done& done = jobs_[{job.ns, job.name}];
    done.complete = job.complete;
    done.indexes = stored_set(job.indexes, std::numeric_limits<int32_t>::max());
    done.before = job.completions;
  }
  if (run.report) {
    for (const ReportSummary::JobLine& job : run.report->jobs) {
      Done& done = jobs_[{job.ns, job.name}];
      done.complete = done.complete || job.verdict == kComplete;
      done.indexes.insert(stored_set(job.indexes, std::numeric_limits<int32_t>::max()));
      done.reported = job.succeeded;
    }
  }
}

void DoneWork::add(const api::ledger::v1::Attempt& attempt) {
  if (attempt.verdict().counted() != kSucceeded) {
    return;
  }
  Done& done = jobs_[{attempt.metadata().namespace_(), attempt.job().name()}];
  if (!attempt.has_index()) {
    ++done.recorded;
  } else if (attempt.index() >= 0) {
    done.indexes.insert(attempt.index());
  }
}

std::vector<DoneJob> DoneWork::jobs() const {
  std::vector<DoneJob> all;
  for (const auto& [names, done] : jobs_) {
    all.push_back({names.first, names.second, done.complete, done.indexes.to_string(),
                   done.before + std::max(done.reported, done.recorded)});
  }
  return all;
}

Result<RestOfPlan> without_done(const RunPlan& plan, const std::vector<DoneJob>& done) {
  RestOfPlan rest;
  for (const ObjectToCreate& object : plan.objects) {
    const auto known = std::find_if(done.begin(), done.end(), [&object](const DoneJob& job) {
      return job.ns == object.ref.ns && job.name == object.ref.name;
    });
    if (object.ref.kind != &api::kinds::job() || known == done.end()) {
      rest.plan.objects.push_back(object);
      rest.plan.jobs += object.ref.kind == &api::kinds::job() ? size_t{1} : 0;
      continue;
    }
    TRY(RestOfJob left, rest_of(api::object_as<Job>(object.object), *known));
    if (!left.note.empty()) {
      rest.notes.push_back(std::move(left.note));
    }
    if (left.job) {
      rest.plan.objects.push_back({object.ref, std::move(left.job), object.title});
      ++rest.plan.jobs;
    }
  }
  return rest;
}

}  // namespace windlass::cli
