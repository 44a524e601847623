// Everything that was ever committed about Jobs and pods, and everything that really ran: what the
// monitors judge by. Fed by the cluster, in commit order; read by the monitors. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "verify/simulation/simulated_journal.h"
#include "verify/simulation/snapshots.h"

namespace windlass::verify::simulation {

struct PodLife {
  PodSnapshot now = {};  // the last state, when it is gone
  bool exists = true;
  MonotonicTime created = {};
  std::optional<MonotonicTime> ended = {};  // became terminal, in the store
  // As it was then: what an eviction adds later (disruption.md E-11) is no evidence of how it
  // ended.
  api::ObjectPtr ended_as = {};
  std::optional<MonotonicTime> gone = {};
  bool listed_failed = false;  // has been in status.uncountedTerminatedPods
  bool listed_early = false;   // and that while it was still ending
  bool listed_succeeded = false;
  std::string deleted_by = {};  // who set its deletion timestamp
  bool deleted_first = false;   // before it ended
};

struct JobLife {
  JobSnapshot now = {};
  bool exists = true;
  MonotonicTime created = {};
  std::optional<MonotonicTime> decided = {};
  std::optional<MonotonicTime> finished = {};
  std::map<uint64_t, JobSnapshot> versions = {};  // by version: what a component may have acted on
  std::set<std::string> pods = {};                // UIDs of all that ever were its own
  // Users did what the Job controller cannot make good: took finalizers, edited its annotations.
  bool vandalised = false;
  // By index: when it was cut off by lower completions after it had completed or failed. Raised
  // again, it begins anew (job-controller.md 3.30).
  std::map<int32_t, MonotonicTime> cut = {};

  // Whether this pod belongs to an earlier life of its index.
  bool is_cut(const PodLife& pod) const;
};

struct NodeLife {
  NodeSnapshot now = {};
  bool exists = true;
  std::optional<MonotonicTime> evicting = {};  // when it last had a NoExecute taint
};

// One start of a container's process.
struct Execution {
  std::string pod_uid = {};
  std::string job = {};  // name
  std::optional<int32_t> index = {};
  MonotonicTime started = {};
  std::optional<int> exit_code = {};
};

struct Moment {
  Time wall = {};
  MonotonicTime at = {};
};

struct JobChange {
  const JobSnapshot* before = nullptr;  // nullptr: it is new
  const JobSnapshot* after = nullptr;   // nullptr: it is gone
  const WriteOrigin& writer;
  Moment moment;
};

struct PodChange {
  const PodSnapshot* before = nullptr;
  const PodSnapshot* after = nullptr;
  const WriteOrigin& writer;
  Moment moment;
};

class History {
 public:
  // Each is told after the fact, before the monitors are.
  void on_job(const JobChange& change);
  void on_pod(const PodChange& change);
  void on_node(const NodeSnapshot& node, bool exists, MonotonicTime at);
  void on_execution(Execution execution) { executions_.push_back(std::move(execution)); }
  // Of a hollow node, with how it may end: told once per pod, however often it is asked for.
  void on_hollow_execution(Execution execution);
  void on_exit(const std::string& pod_uid, int exit_code);
  void on_clock_jump(Duration by) { jumps_ += by < Duration::zero() ? -by : by; }
  void vandalise(const std::string& job_uid);
  // The ledger has a record of this pod, which counted so.
  void on_attempt(const std::string& pod_uid, const std::string& counted) {
    attempts_[pod_uid] = counted;
  }

  const std::map<std::string, JobLife>& jobs() const { return jobs_; }
  const std::map<std::string, PodLife>& pods() const { return pods_; }
  const std::map<std::string, NodeLife>& nodes() const { return nodes_; }
  const std::vector<Execution>& executions() const { return executions_; }
  // By UID of the pod: how it counted, as the ledger has it.
  const std::map<std::string, std::string>& attempts() const { return attempts_; }
  const JobLife* job(const std::string& uid) const;
  const PodLife* pod(const std::string& uid) const;
  // Of a Job, as they are in the store.
  std::vector<const PodLife*> stored_pods(const std::string& job_uid) const;
  std::vector<const PodLife*> all_pods(const std::string& job_uid) const;
  // How far the wall clock has been moved in all, whatever the direction.
  Duration jumps() const { return jumps_; }

 private:
  std::map<std::string, JobLife> jobs_;    // by UID
  std::map<std::string, PodLife> pods_;    // by UID
  std::map<std::string, NodeLife> nodes_;  // by name
  std::vector<Execution> executions_;
  std::map<std::string, std::string> attempts_;
  Duration jumps_ = Duration::zero();
};

}  // namespace windlass::verify::simulation
