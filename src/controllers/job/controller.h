// The Job controller: a worker with an engine for every Job that has something left to do, fed from
// two caches (Jobs and pods), asked whenever something changed, at most one round of writes at a
// time for each Job. A Job that is idle is decided about at once; what changes while its writes are
// under way is decided about together, afterwards.
//
// Memory is by UID throughout: a Job re-created under its old name starts anew (safety.md W3).
// Lives on the client's executor, and sees the API server only through the client.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "api/feature_gates.h"
#include "api/select/label_selector.h"
#include "base/weak_self.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "client/work_queue.h"
#include "controllers/job/adapter.h"
#include "controllers/job/attempt_keeper.h"
#include "controllers/job/claims.h"
#include "controllers/job/metrics.h"
#include "controllers/job/orphans.h"
#include "controllers/job/worker.h"

namespace windlass::controllers::job {

// The engine's options with these feature gates.
engine::Options engine_options(const api::FeatureGates& gates);

class JobController {
 public:
  struct Options {
    engine::Options engine;
    std::string ns = {};  // only here; "": everywhere
    // On every pod until it is counted. The built-in name is for the built-in manager alone.
    std::string tracking_finalizer = std::string(engine::kTrackingFinalizer);
    size_t concurrent_syncs = 5;  // 0.8
    // Besides the Event objects: for a display of progress.
    std::function<void(const api::Message& job, const engine::Event&)> on_event;
    std::shared_ptr<MetricRegistry> metrics;  // empty: nothing is counted
    AttemptKeeper* attempts = nullptr;        // outlives the controller; null: no records
  };

  JobController(client::ClientEnv env, Options options);
  ~JobController();
  JobController(const JobController&) = delete;
  JobController& operator=(const JobController&) = delete;

  void start();
  // Both caches are full: Jobs are being worked on.
  bool has_synced() const { return pods_.has_synced(); }
  // Jobs that are not at rest.
  size_t busy_jobs() const { return workers_.size(); }

 private:
  struct CachedJob {
    client::ObjectPtr object;
    engine::JobView view;
    api::LabelSelector selector;
    bool selects_by_uid = false;  // a pod labelled with the Job's UID is selected, whatever else is
    bool selects_its_pods = true;  // as the API server makes sure of
  };
  struct CachedPod {
    enum class Owner { none, job, other };

    std::string key;
    Owner owner = Owner::none;
    std::string job_uid;
    engine::PodView view;
    // Of a pod that may change hands: without an owner, not labelled with its owner's UID, or of a
    // Job that was known to ask for more than that.
    std::shared_ptr<const std::map<std::string, std::string>> labels;
    // The pod itself, as long as its record may be written from it.
    client::ObjectPtr object = {};
  };

  static CachedJob project_job(const client::ObjectPtr& job);
  CachedPod project_pod(const api::Message& pod) const;
  CachedPod project_shared_pod(const client::ObjectPtr& pod) const;

  std::shared_ptr<client::QueueMetrics> queue_metrics(const char* name) const;
  void count_terminated(bool was, bool is);
  void on_new_job(const CachedJob& job);
  void on_job(const CachedJob& job);
  void on_job_gone(const CachedJob& job);
  void on_pod(const CachedPod& pod);
  void on_pod_gone(const CachedPod& pod);
  void on_synced();
  void on_pods_listed_again();

  AttemptEnd end_of(const CachedPod& pod) const;
  // Tells the keeper of attempts what is new of the pod; `before` is null for a pod seen first.
  void follow_attempt(const CachedPod* before, const CachedPod& pod);
  void forget_attempts(const std::string& job_uid);
  void follow_gone(const CachedPod& pod);
  void keep_attempt(const std::string& pod_key, const std::string& pod_uid,
                    std::function<void()> go);
  void keep_unseen(const std::string& pod_uid, const Result<client::ObjectPtr>& read,
                   const std::function<void()>& go);
  void keep_orphan(const client::ObjectPtr& pod, std::function<void()> go);

  JobWorker* find_worker(const std::string& uid) const;
  // A worker for a Job that needs one, with all its pods.
  void add_worker(const CachedJob& job);
  bool has_work(const CachedJob& job) const;
  void process(const std::string& uid);
  void record(const api::Message& job, const engine::Event& event);
  const CachedJob* find_job(const std::string& uid) const;
  bool is_foreign(const CachedJob& job) const;
  bool is_active(const CachedJob& job) const;
  // Whether the Job would have this pod if it had no owner.
  bool wants(const CachedJob& job, const CachedPod& pod) const;
  // Whether the change could matter to who owns the pod.
  static bool may_change_hands(const CachedPod& before, const CachedPod& pod);
  std::optional<PodClaims::Claim> claim_for(const std::string& pod_key) const;
  void claim(const CachedPod& pod);
  // What the server itself has answered, ahead of the caches.
  void on_job_read(const client::ObjectPtr& job);
  void on_adopted(const api::Message& pod);
  void forget_loose(const CachedPod& pod);
  // The pod's UID when no controller will ever take its finalizer off (1.37).
  std::string orphan_uid(const std::string& pod_key) const;

  client::ClientEnv env_;
  Options options_;
  std::optional<JobMetrics> metrics_;
  std::map<std::string, std::string> job_keys_;                // by Job uid, of all Jobs
  std::map<std::string, std::set<std::string>> pods_of_;       // pod keys by Job uid
  std::map<std::string, std::unique_ptr<JobWorker>> workers_;  // by Job uid
  // Jobs whose end is stored and not yet seen: until it is, what is seen of them is old (1.50).
  std::set<std::string> ended_;
  client::EventRecorder events_;
  client::WorkQueue queue_;  // of Job uids
  OrphanReleaser orphans_;
  PodClaims claims_;
  std::map<std::string, std::set<std::string>> loose_pods_;  // by namespace: keys, without an owner
  client::Informer<CachedJob> jobs_;
  client::Informer<CachedPod> pods_;
  WeakSelf<JobController> self_{this};
};

}  // namespace windlass::controllers::job
