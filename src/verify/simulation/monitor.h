// An invariant of safety.md 1 as a class of its own: it is told of every commit and says
// when its rule is broken. Monitors judge by the history alone; they know nothing of the code under
// test. Made anew for every run.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "verify/simulation/history.h"

namespace windlass::verify::simulation {

struct Broken {
  std::string rule = {};  // C1
  std::string text = {};

  bool operator==(const Broken&) const = default;
};

class Report {
 public:
  static constexpr size_t kMaxBroken = 20;  // the first ones tell

  void broken(std::string_view rule, std::string text);
  const std::vector<Broken>& all() const { return all_; }

 private:
  std::vector<Broken> all_;
};

class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual std::string_view rule() const = 0;
  virtual void on_job(const JobChange&, const History&, Report&) {}
  virtual void on_pod(const PodChange&, const History&, Report&) {}
  // Faults are over, every Job has come to rest, and nothing has changed for a while.
  virtual void at_rest(const History&, Report&) {}
};

using Monitors = std::vector<std::unique_ptr<Monitor>>;

// What a run cannot promise, because of what it does to the cluster.
struct Allowances {
  bool several_controllers = false;  // two Job controllers at once: A1 and A2 are out of reach
  bool node_crashes = false;         // processes die unseen and are run again: N1
  bool gates_change = false;         // rules come and go with their gates: P and B, marks
};

Monitors all_monitors(const Allowances& allowances);

// By subject.
void add_counting_monitors(Monitors& monitors);
void add_policy_monitors(Monitors& monitors);
void add_backoff_monitors(Monitors& monitors);
void add_terminal_monitors(Monitors& monitors);
void add_activity_monitors(Monitors& monitors, const Allowances& allowances);
void add_ownership_monitors(Monitors& monitors);
void add_node_monitors(Monitors& monitors, const Allowances& allowances);
void add_disruption_monitors(Monitors& monitors, const Allowances& allowances);

}  // namespace windlass::verify::simulation
