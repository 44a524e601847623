// The pods that wait for a node (disruption.md 1.1): active ones in the order of priority and then
// of time, those that back off after a failure, and those that fit nowhere until something changes.
//
// Pods that fit nowhere wait in groups whose members are all alike: what does not help the first of
// a group helps none of them, so a change wakes only the first, and its success the next. Why they
// fit nowhere is what the last of them that was tried found, whichever is the first. A pod that is
// not like any other is a group of its own.
//
// Owned by the scheduler, on its executor; `on_ready` is told when there is something to take.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "env/clock.h"
#include "env/executor.h"
#include "scheduler/cluster/pod_info.h"

namespace windlass::scheduler {

struct QueueOptions {
  // After the n-th failure: first * 2^(n-1), at most `max` (S-3).
  Duration first_backoff = seconds(1);
  Duration max_backoff = seconds(10);
  // What nothing has woken is tried again (S-4).
  Duration longest_wait = minutes(5);
  Duration check_period = seconds(30);
};

struct QueuedPod {
  enum class Place {
    active,
    backoff,
    unschedulable,
    in_work,  // taken, and not given back yet
    skipped,  // is being deleted, and was told so (S-7)
  };
  // When a pod in backoff may be taken before its time.
  enum class Patience {
    none,         // whenever there is nothing else to do (S-3)
    until_event,  // likewise, but only after something has changed that could help it
    full,         // never: it failed with an error
  };

  PodPtr pod;
  Place place = Place::active;
  Patience patience = Patience::none;
  std::string group;           // of pods that are all alike
  uint64_t entered = 0;        // grows; decides among equal priorities
  int failures = 0;            // in a row
  uint64_t reasons = 0;        // which filters kept it off (fit.h); 0: there was no node. While it
                               // is unschedulable its group knows better.
  bool woken_at_work = false;  // S-6: something changed that could help it while it was in work
  MonotonicTime not_before;    // its backoff ends
  MonotonicTime since;         // unschedulable
  std::string doubtful_node;   // a binding to it may have happened
  bool unanswered = false;     // the last answer to a binding left that open
  std::optional<ScheduledCondition> told;  // what its status says, or is about to
};

class SchedulingQueue {
 public:
  using Filter = std::function<bool(const PodInfo& pod, uint64_t reasons)>;

  SchedulingQueue(env::Executor& executor, env::Clock& clock, QueueOptions options,
                  std::function<void()> on_ready);
  ~SchedulingQueue();
  SchedulingQueue(const SchedulingQueue&) = delete;
  SchedulingQueue& operator=(const SchedulingQueue&) = delete;

  QueuedPod& add(PodPtr pod);
  QueuedPod* find(const std::string& uid);
  void remove(const std::string& uid);
  // The same pod with another content.
  void replace(QueuedPod& queued, PodPtr pod);

  bool has_ready() const { return !active_.empty() || !eager_.empty(); }
  // The next to try, now in work; nullptr when none is ready.
  QueuedPod* take();

  // A pod in work that waits for others to go: what changes meanwhile is not lost (S-6).
  void listen(QueuedPod& queued) { alert_.insert(queued.pod->uid); }
  // Gives back a pod in work that fits nowhere.
  void park(QueuedPod& queued, std::string group, uint64_t reasons);
  // Gives back a pod in work after an error, to be tried again later.
  void back_off(QueuedPod& queued, QueuedPod::Patience patience);
  // A pod in work that needs no further attempt, but stays known.
  void skip(QueuedPod& queued);

  // Something changed that could help the pods that pass the filter.
  void wake(const Filter& could_help);
  // This one only.
  void wake(QueuedPod& queued);
  // The next of a group whose last one found its place.
  void wake_next(const std::string& group);

  void for_each_in_group(const std::string& group, const std::function<void(QueuedPod&)>& visit);
  // Pods that have no node and are not in work.
  size_t waiting() const { return active_.size() + by_due_.size() + unschedulable_count_; }
  size_t unschedulable() const { return unschedulable_count_; }

 private:
  // Higher priority first, then first come.
  using Turn = std::tuple<int64_t, uint64_t, std::string>;
  using Due = std::pair<MonotonicTime, std::string>;
  struct Group {
    std::set<Turn> members;
    uint64_t reasons = 0;  // as the last one that was tried found them
  };

  static Turn turn(const QueuedPod& queued);
  QueuedPod& at(const Turn& turn) { return pods_.at(std::get<std::string>(turn)); }
  // Takes it out of the structure it is in.
  void detach(QueuedPod& queued);
  void attach(QueuedPod& queued, QueuedPod::Place place);
  void set_backoff(QueuedPod& queued);
  void arm_backoff_timer();
  void arm_check_timer();
  void on_backoff_over();
  void on_check();

  env::Executor& executor_;
  env::Clock& clock_;
  QueueOptions options_;
  std::function<void()> on_ready_;
  std::map<std::string, QueuedPod> pods_;  // by uid
  std::set<Turn> active_;
  std::set<Due> by_due_;                        // all in backoff
  std::set<Turn> eager_;                        // those in backoff that may be taken early
  std::map<std::string, Group> unschedulable_;  // none is empty
  std::set<std::string> alert_;  // in work or in backoff, and waiting for a change (S-6)
  size_t unschedulable_count_ = 0;
  uint64_t entries_ = 0;
  env::TimerId backoff_timer_ = env::TimerId::none;
  MonotonicTime backoff_timer_due_;
  env::TimerId check_timer_ = env::TimerId::none;
};

}  // namespace windlass::scheduler
