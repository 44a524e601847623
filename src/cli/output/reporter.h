// Reports the progress of the Jobs of `windlass run`, a line per event: how each pod ended, which
// failure rule matched it, and the verdict. Counts pods for a display of progress, too. Remembers
// its lines; decides nothing.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/time.h"
#include "cli/output/deduplicator.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"

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

// `, 2 failed, 1 ignored`
std::string failed_text(int64_t failed, int64_t ignored);

// The last line about a Job that has ended. The status of the Job does not count `ignored`
// failures.
std::string final_text(const api::batch::v1::Job& job, std::string_view took, int64_t ignored);

// The last lines that pods wrote before they failed.
struct FailureLogSource {
  std::function<std::vector<std::string>(const std::string& pod_uid)> lines_of = {};
  bool printed = false;  // with every failure, whatever the detail
};

class Reporter {
 public:
  struct Backoff {
    Duration base = seconds(10);
    Duration cap = minutes(10);
  };

  // Which lines it prints about pods.
  enum class Detail {
    every_pod,
    failures,  // also why pods wait, and retries
    summary,   // none of these: progress() and last_failure() have them
    nothing,   // and no other line
  };

  Reporter(Output& output, MonotonicTime start, Backoff backoff, Detail detail = Detail::every_pod,
           FailureLogSource logs = {})
      : output_(output),
        start_(start),
        backoff_(backoff),
        detail_(detail),
        logs_(std::move(logs)) {}

  // `wall` is the wall time of `now`, as objects have it.
  void job_changed(const api::batch::v1::Job& job, MonotonicTime now, Time wall);
  void pod_changed(const api::core::v1::Pod& pod, MonotonicTime now, Time wall);
  void pod_gone(const std::string& uid);
  // Prints each warning once, however often it repeats, and none that an earlier line contains.
  void event_seen(const api::core::v1::Event& event, MonotonicTime now);
  // Of all Jobs that job_changed() has seen, in that order.
  std::vector<JobProgress> progress(MonotonicTime now, Time wall);
  // The last pod that failed, and how; without a text before one has.
  const LastFailure& last_failure() const { return last_failure_; }
  // From now on this command stops the pods: their ends are not failures, and there are no retries.
  void expect_stops() { stopping_ = true; }
  // The longest grace period among the pods that run.
  Duration longest_grace() const;
  // The number of failures that the rules of a Job ignored.
  int64_t ignored_failures(const std::string& job_uid) const;
  // Prints any other line.
  void note(std::string_view text, MonotonicTime now);

 private:
  struct PodSaid {
    std::string title;
    std::string owner;  // UID of its Job
    std::string phase;
    std::string waiting;  // for this; "" when it does not wait, or that is not known
    bool terminating = false;
    Duration grace{};
  };
  struct JobSaid {
    std::shared_ptr<const api::batch::v1::Job> job;
    std::string condition;
    Time retry_at{};      // the last one printed
    int64_t ignored = 0;  // failures, by a rule
    std::multiset<Time> index_retries;
    size_t order = 0;  // in which it was first seen
    Pace pace;
    // Pods that are not terminating.
    int64_t running = 0;
    int64_t pending = 0;
    std::map<std::string, int64_t> waiting;  // pending pods by reason
  };

  void line(MonotonicTime now, std::string_view text);
  void print_failure(MonotonicTime now);
  void count_pod(const PodSaid& pod, int64_t by);
  void pod_waits(const PodSaid& pod, const std::string& waiting, MonotonicTime now);
  void pod_failed(const api::core::v1::Pod& pod, MonotonicTime now, Time wall);
  std::string judgement_text(JobSaid& said, const api::core::v1::Pod& pod, Time wall) const;
  void announce_retry(const api::batch::v1::Job& job, JobSaid& said, MonotonicTime now, Time wall);

  Output& output_;
  const MonotonicTime start_;
  const Backoff backoff_;
  const Detail detail_;
  const FailureLogSource logs_;
  bool stopping_ = false;
  LastFailure last_failure_;
  std::map<std::string, PodSaid> pods_;  // by uid
  std::map<std::string, JobSaid> jobs_;  // by uid
  // The number of pods of a Job (its UID) that have waited for something.
  std::map<std::pair<std::string, std::string>, size_t> waiting_pods_;
  std::map<std::string, Deduplicator> told_;  // by uid: reasons to wait, and warnings
};

}  // namespace windlass::cli
