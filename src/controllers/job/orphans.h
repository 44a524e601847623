// Frees pods that no Job counts any more: takes the tracking finalizer off pods whose Job is gone
// (job-controller.md 1.35-1.37), or they could never be deleted. Pods of other owners are left
// alone. The cache of Jobs may be behind the cache of pods, so the server itself is asked whether
// the Job is gone. Retries with growing delays.
//
// Owned by the controller, on the client's executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/weak_self.h"
#include "client/reflector.h"
#include "client/work_queue.h"

namespace windlass::controllers::job {

class OrphanReleaser {
 public:
  // Asked right before the pod is touched: the UID of the pod of this key if it is to be freed, ""
  // if it is gone, free already, or has found an owner.
  using Check = std::function<std::string(const std::string& pod_key)>;

  // Calls `go`, now or later, when the finalizer of this pod may be removed.
  using BeforeFree = std::function<void(const client::ObjectPtr& pod, std::function<void()> go)>;

  OrphanReleaser(client::ClientEnv env, std::string finalizer, Check check,
                 BeforeFree before_free = {}, std::shared_ptr<client::QueueMetrics> metrics = {});
  OrphanReleaser(const OrphanReleaser&) = delete;
  OrphanReleaser& operator=(const OrphanReleaser&) = delete;

  void add(const std::string& pod_key) { queue_.add(pod_key); }

 private:
  static constexpr size_t kWorkers = 5;

  void process(const std::string& key);
  void on_read(const std::string& key, const std::string& uid,
               const Result<client::ObjectPtr>& pod);
  void on_owner_read(const std::string& key, const client::ObjectPtr& pod,
                     const Result<client::ObjectPtr>& job);
  void free(const std::string& key, const client::ObjectPtr& pod);
  void write(const std::string& key, const client::ObjectPtr& pod);
  void finish(const std::string& key, const Result<void>& result);

  client::ClientEnv env_;
  const std::string finalizer_;
  Check check_;
  BeforeFree before_free_;
  client::WorkQueue queue_;
  WeakSelf<OrphanReleaser> self_{this};
};

}  // namespace windlass::controllers::job
