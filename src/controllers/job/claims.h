// Whose pods are whose, by selector: a running pod without a controller is adopted by the Job whose
// selector it matches, and a pod whose labels no longer match its Job's is let go
// (job-controller.md 2.14 to 2.20). Before an adoption the server itself is asked whether the Job
// is still the one that was seen, and not being deleted. A pod that has ended is never adopted: it
// may have been counted already (safety.md C1). Retries with growing delays.
//
// Owned by the controller, on the client's executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/select/label_selector.h"
#include "base/weak_self.h"
#include "client/reflector.h"
#include "client/work_queue.h"

namespace windlass::controllers::job {

class PodClaims {
 public:
  struct Claim {
    // later: not while the Job's status is being written, which may hold its verdict.
    enum class Kind { adopt, release, later };

    Kind kind = Kind::adopt;
    std::string pod_uid = {};
    std::string job_name = {};
    std::string job_uid = {};
    api::LabelSelector selector = {};  // of the Job: a pod that matches it stays
  };
  struct Hooks {
    // Asked right before anything is written: what is to be done about the pod of this key, if
    // anything.
    std::function<std::optional<Claim>(const std::string& pod_key)> check;
    // As the server has them now, ahead of any cache: the Job that is to adopt a pod, and the pod
    // that has been adopted.
    std::function<void(const client::ObjectPtr& job)> on_job;
    std::function<void(const client::ObjectPtr& pod)> on_adopted;
    // Calls `go`, now or later, when the finalizer of the pod of this key may be removed.
    std::function<void(const std::string& pod_key, std::function<void()> go)> before_release;
    // An adoption is over, whatever came of it.
    std::function<void(const std::string& job_uid)> on_settled;
  };

  // `finalizer` tracks the pods of Jobs.
  PodClaims(client::ClientEnv env, std::string finalizer, Hooks hooks);
  PodClaims(const PodClaims&) = delete;
  PodClaims& operator=(const PodClaims&) = delete;

  void add(const std::string& pod_key) { queue_.add(pod_key); }
  // Whether a pod is being adopted: a verdict now would leave it behind (safety.md T4).
  bool adopting_for(const std::string& job_uid) const;

 private:
  static constexpr size_t kWorkers = 5;
  static constexpr Duration kLater = milliseconds(100);

  void process(const std::string& key);
  void on_job_read(const std::string& key, const Claim& claim,
                   const Result<client::ObjectPtr>& job);
  void write(const std::string& key, const Claim& claim);
  void on_written(const std::string& key, Claim::Kind kind, const Result<client::ObjectPtr>& pod);
  void finish(const std::string& key, const Result<void>& result);

  client::ClientEnv env_;
  const std::string finalizer_;
  Hooks hooks_;
  client::WorkQueue queue_;
  std::map<std::string, std::string> adopting_;  // UIDs of Jobs by key of the pod
  WeakSelf<PodClaims> self_{this};
};

}  // namespace windlass::controllers::job
