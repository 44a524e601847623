#include "cli/output/final_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/output/print_objects.h"
#include "cli/output/reporter.h"
#include "explain/index_text.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::cli {
namespace {

using api::batch::v1::Job;

IndexSet stored_indexes(const std::string& text) {
  return IndexSet::parse_stored(text, std::numeric_limits<int32_t>::max()).set;
}

// `; succeeded indexes 0-2, failed indexes 5, indexes not done 3,4,6-9`, for an Indexed Job.
std::string indexes_text(const Job& job) {
  if (job.spec().completion_mode() != "Indexed") {
    return "";
  }
  const IndexSet completed = stored_indexes(job.status().completed_indexes());
  const IndexSet failed = stored_indexes(job.status().failed_indexes());
  std::vector<std::string> parts;
  const auto add = [&parts](std::string_view name, const IndexSet& indexes) {
    if (!indexes.empty()) {
      parts.push_back(fmt::format("{} {}", name, explain::short_indexes(indexes)));
    }
  };
  add("succeeded indexes", completed);
  add("failed indexes", failed);
  add("indexes not done", explain::remaining_indexes(job.spec().completions(), completed, failed));
  return "; " + fmt::format("{}", fmt::join(parts, ", "));
}

// The progress of a Job that this command stopped before its verdict.
std::string stopped_text(const Job& job, std::string_view ending, int64_t ignored) {
  const auto& status = job.status();
  const std::string succeeded =
      job.spec().has_completions()
          ? fmt::format("{} of {} succeeded", status.succeeded(), job.spec().completions())
          : fmt::format("{} succeeded", status.succeeded());
  return fmt::format("job.batch/{} {}: {}{}{}\n", job.metadata().name(), ending, succeeded,
                     failed_text(status.failed(), ignored), indexes_text(job));
}

}  // namespace

void FinalJobs::created(const JobPtr& job) {
  if (places_.try_emplace(job->metadata().uid(), jobs_.size()).second) {
    jobs_.push_back({job, std::nullopt});
  }
}

void FinalJobs::seen(const JobPtr& job, Duration elapsed) {
  created(job);
  Entry& entry = jobs_[places_.at(job->metadata().uid())];
  if (entry.took) {
    return;
  }
  entry.job = job;
  if (verdict_of(*job)) {
    entry.took = elapsed;
    ++finished_;
  }
}

bool FinalJobs::all_complete() const {
  return std::all_of(jobs_.begin(), jobs_.end(), [](const Entry& entry) {
    const auto verdict = verdict_of(*entry.job);
    return verdict && verdict->complete;
  });
}

std::vector<FinalJobs::JobPtr> FinalJobs::unfinished() const {
  std::vector<JobPtr> jobs;
  for (const Entry& entry : jobs_) {
    if (!entry.took) {
      jobs.push_back(entry.job);
    }
  }
  return jobs;
}

void FinalJobs::print_lines(const Report& report, Output& output) const {
  for (const Entry& entry : jobs_) {
    const int64_t ignored = report.ignored_failures(entry.job->metadata().uid());
    std::string text;
    if (entry.took) {
      text = final_text(*entry.job, format_elapsed(*entry.took), ignored);
    } else if (!report.ending.empty()) {
      text = stopped_text(*entry.job, report.ending, ignored);
    }
    report.format == OutputFormat::text ? output.out(text) : output.err(text);
  }
}

void FinalJobs::print(const Report& report, Output& output) const {
  print_lines(report, output);
  std::vector<PrintableObject> objects;
  for (const Entry& entry : jobs_) {
    objects.push_back({&api::kinds::job(), entry.job});
  }
  if (report.format != OutputFormat::text) {
    output.out(print_objects(objects, report.format,
                             report.wanted > 1 ? ListShape::always : ListShape::for_several));
  }
}

}  // namespace windlass::cli
