// One Job as it changes: watches the Job and its pods, and finds its attempts in the ledger where
// there is one. Lives on the core executor; client, worker and attempts outlive it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/weak_self.h"
#include "client/informer.h"
#include "dashboard/feed.h"
#include "dashboard/job_state.h"
#include "ledger/ledger.h"

namespace windlass::dashboard {

class JobFeed {
 public:
  // To list the Job and its pods for the first time.
  static constexpr Duration kListTimeout = seconds(10);
  // Attempts that ended so much before the newest one may have been recorded after it.
  static constexpr Duration kOverlap = seconds(5);
  // Attempts are read again after so many times as long as that took, at most after kLongestPause.
  static constexpr int kReadShare = 20;
  // How often all attempts are read, for those that came even later.
  static constexpr Duration kFullReadPeriod = seconds(30);

  JobFeed(client::ClientEnv env, env::Executor& worker, ledger::AttemptSource& attempts,
          client::ObjectRef job, bool reruns);
  ~JobFeed();
  JobFeed(const JobFeed&) = delete;
  JobFeed& operator=(const JobFeed&) = delete;

  Feed& feed() { return feed_; }

 private:
  using Objects = client::Informer<client::ObjectPtr>;
  using Prepared = std::function<void(Result<Feed::Update>)>;

  void prepare(Prepared done);
  void on_found(const Result<client::ObjectPtr>& job);
  void start();
  void on_job();
  void proceed();
  void give_up();
  void finish(Result<Feed::Update> prepared);

  void read_attempts();
  bool is_read_due(bool finished);
  void finish_read();
  void read_page(const ledger::AttemptFilter& filter, const std::string& token);
  void on_page(const ledger::AttemptFilter& filter, const Result<ledger::AttemptPage>& page);
  Feed::Update make_update() const;

  client::ClientEnv env_;
  ledger::AttemptSource& source_;
  const client::ObjectRef ref_;
  const bool reruns_;
  std::shared_ptr<JobState> state_;
  Feed feed_;
  Prepared prepared_;  // while the feed waits
  env::TimerId give_up_ = env::TimerId::none;
  bool started_ = false;
  std::optional<Objects> jobs_;
  std::string job_uid_;
  std::unique_ptr<Objects> pods_;  // of that Job
  bool has_ledger_ = true;         // until the server says otherwise
  bool read_finished_ = false;     // all attempts were read after the Job had finished
  bool reading_all_ = false;
  std::optional<MonotonicTime> read_all_at_;
  MonotonicTime read_began_;
  MonotonicTime next_read_;
  env::TimerId late_read_ = env::TimerId::none;
  int64_t newest_ = 0;                                  // ledger::time_of() of an attempt
  std::map<std::string, ledger::AttemptPtr> attempts_;  // by UID of the pod
  WeakSelf<JobFeed> self_{this};
};

}  // namespace windlass::dashboard
