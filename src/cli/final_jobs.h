// The Jobs of `windlass run` and `simulate`, in the order in which they were made, each as it was
// last seen; and what is told of them in the end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cli/command_line.h"
#include "cli/output.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::cli {

class FinalJobs {
 public:
  using JobPtr = std::shared_ptr<const api::batch::v1::Job>;

  // They are told of in the order in which they are known.
  void created(const JobPtr& job);
  // `elapsed` since the beginning. Once it has its verdict it stays as it is.
  void seen(const JobPtr& job, Duration elapsed);
  size_t finished() const { return finished_; }
  bool all_complete() const;
  // Without a verdict, as they were last seen.
  std::vector<JobPtr> unfinished() const;

  struct Telling {
    size_t wanted = 0;  // Jobs; of more than one, JSON is a List whatever came of them
    OutputFormat format = OutputFormat::text;
    std::string ending;  // `interrupted`, `timed out after 5s`; "" says nothing of unfinished Jobs
    std::function<int64_t(const std::string& uid)> ignored_failures;  // of a Job
  };
  // A line per Job on standard output: its verdict, or how far it came until the ending. With a
  // format the lines go to standard error, and the objects to standard output.
  void tell(const Telling& telling, Output& output) const;

 private:
  struct Entry {
    JobPtr job;
    std::optional<Duration> took;
  };

  std::vector<Entry> jobs_;
  std::map<std::string, size_t> places_;  // in jobs_, by uid
  size_t finished_ = 0;
};

}  // namespace windlass::cli
