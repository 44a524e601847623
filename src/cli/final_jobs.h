// The Jobs of `windlass run` and `simulate`, in the order in which they were made, each as it was
// last seen; and what is told of them in the end.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
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

  // The verdicts, on standard output; with a format on standard error, and the objects on standard
  // output, those that have not finished, too. Where more than one was `wanted`, JSON is a List
  // whatever came of them.
  void tell(size_t wanted, OutputFormat format, Output& output) const;

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
