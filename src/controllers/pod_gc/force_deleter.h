// The action that every sweep of pod GC ends in (disruption.md G-2): a pod that has not ended gets
// phase Failed, with the condition that the sweep supplies, and only when that is stored the pod is
// deleted with grace 0. A few pods at a time; failures are left to the next round.
//
// Owned by the controller, on the client's executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/weak_self.h"
#include "client/reflector.h"
#include "client/work_queue.h"
#include "controllers/pod_gc/pods.h"

namespace windlass::controllers::pod_gc {

enum class Sweep { terminated, out_of_service, orphaned, unscheduled };

// The `reason` label of the metrics (G-10).
std::string_view name_of(Sweep sweep);

// What the feature gates let it write (F-1).
struct Writes {
  bool phase = true;
  bool condition = true;
};

class ForceDeleter {
 public:
  // Counts an attempt that has ended (G-10).
  using Count = std::function<void(const std::string& ns, Sweep sweep, bool failed)>;

  static constexpr size_t kWorkers = 20;

  ForceDeleter(client::ClientEnv env, Writes writes, Count count);
  ForceDeleter(const ForceDeleter&) = delete;
  ForceDeleter& operator=(const ForceDeleter&) = delete;

  // One that is under way, or waits, already is not added again.
  void add(const CollectablePod& pod, Sweep sweep);
  bool idle() const { return jobs_.empty(); }

 private:
  struct Job {
    CollectablePod pod;
    Sweep sweep = Sweep::terminated;
  };

  void process(const std::string& key);
  bool mark_failed(api::Message& pod, Sweep sweep) const;
  void remove(const std::string& key);
  void finish(const std::string& key, const Result<void>& result);

  client::ClientEnv env_;
  Writes writes_;
  Count count_;
  std::map<std::string, Job> jobs_;  // by pod key: at most one per pod there is
  client::WorkQueue queue_;
  WeakSelf<ForceDeleter> self_{this};
};

}  // namespace windlass::controllers::pod_gc
