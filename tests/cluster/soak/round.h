// One round of a soak: a namespace with a Job of every scenario, whose pods end as their scripts
// say. At the end every verdict must be the scenario's, no pod may have a finalizer left, and the
// namespace must go. Some rounds do not wait: their Jobs or their namespace are deleted on the way.
//
// Lives on the client's executor. Nothing is called after destruction.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/suite.h"

namespace windlass::cluster_tests {

class Round {
 public:
  enum class End { waited_for, jobs_deleted, namespace_deleted };

  static constexpr Duration kPatience = minutes(5);  // for each of its two halves

  // `after` is how long a round lasts that is not waited for. `on_over` runs once; the round may
  // be destroyed after it, not in it.
  Round(client::ClientEnv env, std::string ns, End end, Duration after,
        std::function<void()> on_over);
  ~Round();
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  void start();

  const std::string& ns() const { return ns_; }
  size_t jobs() const { return scenarios_.size(); }
  // What went wrong.
  const std::vector<std::string>& mistakes() const { return mistakes_; }

 private:
  void run_jobs();
  void end_jobs();
  void judge();
  void look_for_finalizers();
  void remove_jobs();
  void remove_namespace();
  void wait_until_gone();
  void over();
  void say(std::string mistake) { mistakes_.push_back(ns_ + ": " + std::move(mistake)); }
  // A callback that does nothing once this is destroyed.
  template <class... T>
  std::function<void(T...)> guarded(void (Round::*then)(T...));
  void later(Duration delay, void (Round::*step)());
  void on_namespace(const Result<client::ObjectPtr>& created);
  void on_pods(const Result<client::ObjectList>& pods);
  void on_removed(const Result<client::ObjectPtr>& removed);
  void on_looked(const Result<client::ObjectPtr>& found);

  client::ClientEnv env_;
  const std::string ns_;
  const End end_;
  const Duration after_;
  std::function<void()> on_over_;
  const std::vector<Scenario> scenarios_;
  std::optional<Suite> suite_;
  std::vector<std::string> mistakes_;
  MonotonicTime give_up_;
  bool judged_ = false;
  std::shared_ptr<Round*> self_;  // callbacks hold it weakly
};

}  // namespace windlass::cluster_tests
