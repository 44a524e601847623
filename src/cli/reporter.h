// Says what happens to the Jobs of `windlass run`, a line per event, and why: which pod ended how,
// which failure rule took it, and the verdict. Remembers what it has said; decides nothing.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/time.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/told.h"

namespace windlass::api::batch::v1 {
class Job;
}
namespace windlass::api::core::v1 {
class Event;
class Pod;
}  // namespace windlass::api::core::v1

namespace windlass::cli {

struct Verdict {
  bool complete = false;
  std::string reason;
  std::string message;
};

// The terminal condition of a Job, if it has one.
std::optional<Verdict> verdict_of(const api::batch::v1::Job& job);

// 12.34s; in whole seconds, as 3h20m5s, when it is long.
std::string format_elapsed(Duration elapsed);

// The last line about a Job that has ended.
std::string final_text(const api::batch::v1::Job& job, std::string_view took);

class Reporter {
 public:
  struct Backoff {
    Duration base = seconds(10);
    Duration cap = minutes(10);
  };

  Reporter(Output& output, MonotonicTime start, Backoff backoff)
      : output_(output), start_(start), backoff_(backoff) {}

  // `wall` is the wall time of `now`: objects tell time by it.
  void job_changed(const api::batch::v1::Job& job, MonotonicTime now, Time wall);
  void pod_changed(const api::core::v1::Pod& pod, MonotonicTime now, Time wall);
  // Says warnings, each once, however often it is counted, and none that a line has said already.
  void event_seen(const api::core::v1::Event& event, MonotonicTime now);
  // Of all Jobs that it has been told of.
  std::vector<JobProgress> progress(Time wall) const;
  // The pods are being stopped: no retry is announced that will not come.
  void expect_no_retries() { retries_ = false; }
  // Anything else worth a line.
  void note(std::string_view text, MonotonicTime now);

 private:
  struct PodSaid {
    std::string title;
    std::string phase;
  };
  struct JobSaid {
    std::shared_ptr<const api::batch::v1::Job> job;
    std::string condition;
    Time retry_at{};  // the last one announced
    std::set<Time> index_retries;
  };

  void line(MonotonicTime now, std::string_view text);
  void pod_failed(const api::core::v1::Pod& pod, MonotonicTime now, Time wall);
  std::string judgement_text(JobSaid& said, const api::core::v1::Pod& pod, Time wall) const;
  void announce_retry(const api::batch::v1::Job& job, JobSaid& said, MonotonicTime now, Time wall);

  Output& output_;
  const MonotonicTime start_;
  const Backoff backoff_;
  bool retries_ = true;
  std::map<std::string, PodSaid> pods_;  // by uid
  std::map<std::string, JobSaid> jobs_;  // by uid
  std::map<std::string, Told> told_;     // by uid: what pods wait for, and warnings
};

}  // namespace windlass::cli
