// Records attempts of Jobs that another controller runs: it watches Jobs and pods, and changes
// nothing. No pod waits for it, so a pod that comes and goes while nothing watches leaves no
// record.
//
// How a pod counted is read off its tracking finalizer: the controller takes it off a pod that has
// ended or is being deleted when it has counted it, and off any other pod before it takes the pod
// away.
//
// Lives on the client's executor. Nothing is called after destruction.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/weak_self.h"
#include "client/informer.h"
#include "controllers/job/adapter.h"
#include "controllers/job/attempt_keeper.h"
#include "ledger/ledger.h"

namespace windlass::evidence {

class AttemptWatcher {
 public:
  struct Options {
    std::string ns = {};  // only here; "": everywhere
    engine::Options engine = {};
    // What is recorded already: looked at for pods that had ended before the start, whose logs may
    // be gone by now. Outlives the watcher; null: they are recorded again.
    ledger::AttemptSource* known = nullptr;
  };

  AttemptWatcher(client::ClientEnv env, controllers::job::AttemptKeeper& attempts, Options options);
  AttemptWatcher(const AttemptWatcher&) = delete;
  AttemptWatcher& operator=(const AttemptWatcher&) = delete;

  void start() { jobs_.start(); }
  // All pods there are have been seen.
  bool has_synced() const { return pods_.has_synced(); }

 private:
  enum class Fate : uint8_t { open, counted, taken_away };

  struct CachedJob {
    engine::JobView view;
  };
  struct CachedPod {
    std::string job_uid;
    engine::PodView view;
  };
  // The pods of one Job that are there.
  struct JobPods {
    // By index, -1 without one: when they were created, and their UIDs.
    std::map<int64_t, std::set<std::pair<Time, std::string>>> by_index;
    int64_t ended = 0;
  };

  std::optional<CachedPod> project_pod(const client::ObjectPtr& pod);
  void on_pod(const CachedPod* before, const CachedPod& pod);
  void on_gone(const CachedPod& pod);
  void on_synced();
  void check_next();
  void on_checked(const client::ObjectPtr& pod, const Result<ledger::AttemptPage>& page);
  void record_unless_known(const client::ObjectPtr& pod, bool known);
  void record(const client::ObjectPtr& pod);
  controllers::job::AttemptVerdict judge(const engine::JobView& job, const CachedPod& pod) const;
  engine::Counted counted_as(const engine::JobView& job, const CachedPod& pod,
                             engine::Action action) const;
  int64_t attempts_before(const engine::JobView* job, const CachedPod& pod) const;
  Fate fate_of(const CachedPod& pod) const;
  const engine::JobView* find_job(const std::string& uid) const;
  void forget_job(const std::string& uid);

  controllers::job::AttemptKeeper& attempts_;
  const Options options_;
  std::map<std::string, std::string> job_keys_;  // by UID
  std::map<std::string, JobPods> pods_of_;       // by UID of the Job
  // Jobs that are gone before their pods: news of pods may come later than that of the Job.
  std::map<std::string, engine::JobView> gone_jobs_;
  // By UID, of pods that lost their finalizer and are not recorded yet.
  std::map<std::string, Fate> fates_;
  // Of pods that are there, by UID: as they were last seen, until they are recorded.
  std::map<std::string, client::ObjectPtr> open_;
  std::set<std::string> recorded_;
  std::deque<client::ObjectPtr> unchecked_;  // of the first list
  bool ledger_fails_ = false;                // what it knows cannot be asked
  client::Informer<CachedJob> jobs_;
  client::Informer<CachedPod> pods_;
  WeakSelf<AttemptWatcher> self_{this};
};

}  // namespace windlass::evidence
