#include "cli/final_jobs.h"

#include <algorithm>

#include "cli/print_objects.h"
#include "cli/reporter.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::cli {

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

void FinalJobs::tell(size_t wanted, OutputFormat format, Output& output) const {
  std::vector<PrintableObject> objects;
  for (const Entry& entry : jobs_) {
    objects.push_back({&api::kinds::job(), entry.job});
    if (entry.took) {
      const std::string text = final_text(*entry.job, format_elapsed(*entry.took));
      format == OutputFormat::text ? output.out(text) : output.err(text);
    }
  }
  if (format != OutputFormat::text) {
    output.out(
        print_objects(objects, format, wanted > 1 ? ListShape::always : ListShape::for_several));
  }
}

}  // namespace windlass::cli
