// The Jobs of `windlass run` and `simulate`, in the order of their creation, each as it was last
// seen, and the report about them at the end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cli/output/output.h"
#include "cli/output/print_objects.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::cli {

class FinalJobs {
 public:
  using JobPtr = std::shared_ptr<const api::batch::v1::Job>;

  // Jobs are reported in the order of these calls.
  void created(const JobPtr& job);
  // `elapsed` since the start. A Job with a verdict does not change any more.
  void seen(const JobPtr& job, Duration elapsed);
  size_t finished() const { return finished_; }
  bool all_complete() const;
  // Without a verdict, as they were last seen.
  std::vector<JobPtr> unfinished() const;

  struct Entry {
    JobPtr job;
    std::optional<Duration> took;  // none without a verdict
  };
  const std::vector<Entry>& entries() const { return jobs_; }

  struct Report {
    size_t wanted = 0;  // number of Jobs; for more than one, JSON is always a List
    OutputFormat format = OutputFormat::text;
    std::string ending;  // `interrupted`, `timed out after 5s`; "" leaves unfinished Jobs out
    std::function<int64_t(const std::string& uid)> ignored_failures;  // of a Job
  };
  // A line per Job on standard output: its verdict, or its progress until the ending. With a
  // format, the lines go to standard error.
  void print_lines(const Report& report, Output& output) const;
  // The lines and, with a format, the objects on standard output.
  void print(const Report& report, Output& output) const;

 private:
  std::vector<Entry> jobs_;
  std::map<std::string, size_t> places_;  // in jobs_, by uid
  size_t finished_ = 0;
};

}  // namespace windlass::cli
