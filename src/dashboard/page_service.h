// Answers what the page asks for, in the name of its viewer: the overview, one Job, logs, rights,
// and the one write there is. Lives on the core executor; all it is given outlives it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/weak_self.h"
#include "dashboard/job_feed.h"
#include "dashboard/overview_feed.h"
#include "dashboard/viewer.h"

namespace windlass::dashboard {

// What a page is for.
struct PageScope {
  std::string ns = {};  // whose Jobs the overview shows; "" for all
  bool reruns = true;   // whether `windlass rerun` can run indexes of these Jobs again
};

class PageService {
 public:
  // Jobs that are watched for readers. One more takes the place of one without waiting readers.
  static constexpr size_t kMaxJobs = 32;
  // A Job without readers for so long is not watched any more.
  static constexpr Duration kIdle = minutes(1);
  static constexpr int kLogLines = 10'000;
  // How long the last state has time to reach the pages.
  static constexpr Duration kLongestFarewell = seconds(8);

  using Answer = std::function<void(Result<std::string> json)>;

  PageService(client::ClientEnv env, env::Executor& worker, ledger::AttemptSource& attempts,
              Backend& backend, PageScope scope);
  ~PageService();
  PageService(const PageService&) = delete;
  PageService& operator=(const PageService&) = delete;

  void overview(const ViewerPtr& viewer, const std::string& since, Answer answer);
  struct JobName {
    std::string ns;
    std::string name;
    bool operator<(const JobName& other) const {
      return std::tie(ns, name) < std::tie(other.ns, other.name);
    }
  };
  void job(const ViewerPtr& viewer, const JobName& job, const std::string& since, Answer answer);
  // The end of what a container prints. `container` may be "".
  void log(const ViewerPtr& viewer, const std::string& ns, const std::string& pod,
           const std::string& container, Answer answer);
  // The end of a log that the ledger keeps.
  void kept_log(const ViewerPtr& viewer, const std::string& ns, const std::string& pod_uid,
                Answer answer);
  // What the viewer may do in a namespace.
  void rights(const ViewerPtr& viewer, const std::string& ns, const Answer& answer);
  void rerun(const ViewerPtr& viewer, RerunOrder order, Answer answer);

  // Shows pages that are open the newest state, and then tells them that there is no more. `then`
  // runs once, later.
  void end(const Status& why, const std::function<void()>& then);

 private:
  // One after the other, until one is refused.
  void check_all(const ViewerPtr& viewer, std::vector<Access> accesses, client::Done<void> done);
  // Null when there is no room.
  JobFeed* feed_of(const JobName& job);
  void drop_idle();
  std::vector<Feed*> feeds();
  void end_when_told(const Status& why, MonotonicTime limit, const std::function<void()>& then);
  void read_log(const ViewerPtr& viewer, const client::ObjectPtr& pod, std::string container,
                Answer answer);

  client::ClientEnv env_;
  env::Executor& worker_;
  ledger::AttemptSource& attempts_;
  Backend& backend_;
  const PageScope scope_;
  std::optional<Status> ended_;
  std::unique_ptr<OverviewFeed> overview_;
  std::map<JobName, std::unique_ptr<JobFeed>> jobs_;
  env::TimerId sweep_ = env::TimerId::none;
  env::TimerId farewell_ = env::TimerId::none;
  WeakSelf<PageService> self_{this};
};

}  // namespace windlass::dashboard
