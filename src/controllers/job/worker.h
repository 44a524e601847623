// One Job under control: its engine, the newest object of it, and its writes. The engine decides;
// this feeds it what is seen and what was answered, and carries out what it says.
//
// Owned by the controller, by Job UID, on the client's executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "client/reflector.h"
#include "controllers/job/writer.h"
#include "engine/engine.h"

namespace windlass::controllers::job {

// Who hears what the engine has to tell besides its writes.
struct WorkerHooks {
  // Something happened that the engine should be asked about.
  std::function<void()> wake;
  std::function<void(const api::Message& job, const engine::Event&)> record_event;
  std::function<void(const engine::MetricDelta&)> count;
  // One round is over: what it decided has been written, or something of it was refused.
  std::function<void(engine::SyncAction action, bool failed, Duration took)> synced;
  // Old news of a pod was not passed on.
  std::function<void()> skipped_stale_pod = {};
  // None: finalizers are removed at once.
  BeforeRelease before_release = {};
};

class JobWorker final : private WriteAnswers {
 public:
  // `finalizer` tracks the Job's pods.
  JobWorker(client::ClientEnv env, const engine::Options& options, const std::string& finalizer,
            client::ObjectPtr job, WorkerHooks hooks);
  ~JobWorker() override;
  JobWorker(const JobWorker&) = delete;
  JobWorker& operator=(const JobWorker&) = delete;

  void observe_job(const client::ObjectPtr& job, const engine::JobView& view);
  void observe_pod(const engine::PodView& pod);
  // By the server's answer; the cache will tell of it, too.
  void observe_adopted(const engine::PodView& pod);
  void observe_pod_gone(const std::string& uid);
  // The cache has listed all pods anew at this version: what was created before, and is not in it,
  // is gone, and no event will say so.
  void forget_unlisted(uint64_t version, const std::set<std::string>& listed_uids);
  // Whether some pod was created or adopted and has not been seen yet.
  bool awaits_pods() const { return !unseen_.empty(); }
  // All pods of the Job that there are.
  void observe_all_pods(const std::vector<const engine::PodView*>& pods);

  // Asks the engine and sends what it says; answers when to ask again, if nothing happens before.
  std::optional<Duration> sync();
  // A status is on its way to the server, or waits for pods that go first.
  bool is_writing_status() const { return writing_status_; }
  // How the end of a pod counts.
  engine::Counted counted_as(const std::string& pod_uid) const {
    return engine_.counted_as(pod_uid);
  }
  int64_t attempts_before(const std::string& pod_uid) const {
    return engine_.attempts_before(pod_uid);
  }
  // Nothing more will come unless something new is seen.
  bool at_rest() const { return engine_.at_rest() && !engine_.busy(); }

  const std::string& ns() const { return ns_; }
  const std::string& name() const { return name_; }
  const std::string& uid() const { return uid_; }

 private:
  static constexpr Duration kLookRetry = seconds(1);  // after a read that failed

  void on_status(const Result<client::ObjectPtr>& stored) override;
  void on_create(uint32_t id, const Result<client::ObjectPtr>& pod) override;
  void on_pod_write(const engine::PodWrite& write, const Result<client::ObjectPtr>& pod) override;

  // The round of writes that is under way, for the metrics.
  struct Round {
    MonotonicTime began;
    engine::SyncAction action;
    bool failed = false;
  };

  void tell_refused(const Status& why);
  void begin_round(engine::SyncAction action);
  void end_round(bool failed);

  void keep_newest(const client::ObjectPtr& job);
  bool is_known(const std::string& uid) const;
  void read_job_again();
  void list_pods_again();
  void on_job_read(const Result<client::ObjectPtr>& job);
  void on_pods_listed(const Result<client::ObjectList>& pods);

  client::ClientEnv env_;
  const std::string finalizer_;
  std::string ns_;
  std::string name_;
  std::string uid_;
  client::ObjectPtr job_;
  WorkerHooks hooks_;
  engine::Engine engine_;
  Writer writer_;
  // The cache of pods may be behind what the server itself has answered. Pods that it said are
  // gone, until the cache says so too: at most those that the engine knew.
  std::set<std::string> gone_;
  uint64_t listed_at_ = 0;                  // the version of the last list of all pods
  std::map<std::string, uint64_t> unseen_;  // own, and not yet in the cache: versions by UID
  std::optional<Round> round_;
  bool writing_status_ = false;
  bool reading_ = false;
  bool listing_ = false;
  env::TimerId read_timer_ = env::TimerId::none;
  env::TimerId list_timer_ = env::TimerId::none;
  WeakSelf<JobWorker> self_{this};
};

}  // namespace windlass::controllers::job
