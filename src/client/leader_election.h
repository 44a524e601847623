// One leader among several processes, by a Lease: its holder renews it; the others wait until
// it has not changed for its whole duration by their own clocks, then take it. Times as in
// Kubernetes: 15 s lease, 10 s to renew, a try every 2 s.
//
// The holder stops by itself 10 s after its last renewal that was answered, counted by its
// monotonic clock from when that renewal was sent: before another candidate may take over, whatever
// the wall clocks say. Whether it leads is asked by is_leader(), which looks at the clock at that
// moment, so that a process that was paused does not act in the name of a lease that ran out (see
// fenced_client.h).
//
// A Lease that is deleted is made again by its holder, which does nothing in its name until
// that is answered. Others that have seen it wait as long as if it had been renewed just then.
//
// Lives on the client's executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/weak_self.h"
#include "client/reflector.h"

namespace windlass::client {

class LeaderElection {
 public:
  struct Options {
    std::string ns = "kube-system";
    std::string name = {};
    std::string identity = {};  // of this process; no two the same
    Duration lease = seconds(15);
    Duration renew_deadline = seconds(10);
    Duration retry = seconds(2);
  };
  struct Callbacks {
    std::function<void()> on_started_leading;
    // Once, after on_started_leading. The former leader has to stop for good: another election
    // needs another instance.
    std::function<void()> on_stopped_leading;
  };

  LeaderElection(ClientEnv env, Options options, Callbacks callbacks);
  ~LeaderElection();
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;

  void start();
  // Gives the Lease up, so that others need not wait, also while a renewal is on its way. `done`
  // runs once, later, and hears whether the Lease is free now by this.
  void release(std::function<void(bool freed)> done);

  bool is_leader() const;
  // Who holds the Lease, as far as was seen; "" when it is free.
  const std::string& holder() const { return holder_; }

 private:
  enum class State { waiting, leading, stopped };
  static constexpr int kJitterPercent = 20;  // of the retry period, against herds

  void try_now();
  void on_read(MonotonicTime sent, const Result<ObjectPtr>& answer);
  void observe(const ObjectPtr& lease);
  void observe_none();
  // Counted from now.
  MonotonicTime end_of_lease() const;
  bool may_take() const;
  void write(MonotonicTime sent);
  void on_written(MonotonicTime sent, const Result<ObjectPtr>& answer);
  void on_read_again(MonotonicTime sent, const Result<ObjectPtr>& answer);
  void lead(MonotonicTime sent);
  void stop_leading();
  void plan();
  ObjectRef ref() const { return {&api::kinds::lease(), options_.ns, options_.name}; }
  Done<ObjectPtr> callback(MonotonicTime sent,
                           void (LeaderElection::*method)(MonotonicTime, const Result<ObjectPtr>&));

  ClientEnv env_;
  Options options_;
  Callbacks callbacks_;
  State state_ = State::waiting;
  ObjectPtr lease_;          // as last seen; null: none there
  MonotonicTime free_from_;  // unless it changes: measured from when it was first seen like this
  std::string holder_;
  MonotonicTime leads_until_;  // while leading
  bool vanished_ = false;      // while leading: the Lease was deleted
  bool busy_ = false;
  env::TimerId timer_ = env::TimerId::none;
  env::TimerId deadline_ = env::TimerId::none;
  WeakSelf<LeaderElection> self_{this};
};

}  // namespace windlass::client
