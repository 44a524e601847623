// Runs scenarios on one API server: creates their Jobs, plays the nodes, and waits until all have
// ended. Another process controls the Jobs. Lives on the client's executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/outcome.h"
#include "cluster/pod_script.h"

namespace windlass::cluster_tests {

class Suite {
 public:
  using Job = api::batch::v1::Job;

  // `chosen` outlive this. `suffix` is added to the names of their Jobs.
  Suite(client::ClientEnv env, std::string ns, std::string manager,
        std::vector<const Scenario*> chosen, std::string suffix = "");

  void start();
  bool done() const { return ended_.size() + refused_.size() == chosen_.size(); }
  // Runs when all Jobs have ended, but for those that were refused.
  void when_done(std::function<void()> then) { then_ = std::move(then); }

  std::string job_name(const Scenario& scenario) const { return scenario.name + suffix_; }
  // By the scenario's name; the newest that was seen.
  const std::map<std::string, std::shared_ptr<const Job>>& seen() const { return seen_; }
  // By the scenario's name; those that have ended.
  const std::map<std::string, std::shared_ptr<const Job>>& ended() const { return ended_; }
  // Of Jobs that the API server would not take.
  const std::map<std::string, std::string>& refused() const { return refused_; }

 private:
  void create(const Scenario& scenario);
  void on_created(const Scenario& scenario, const Result<client::ObjectPtr>& created);
  void on_job(const std::shared_ptr<const Job>& job);
  PodScript::Scripts scripts() const;

  client::ClientEnv env_;
  const std::string ns_;
  const std::string manager_;
  const std::vector<const Scenario*> chosen_;
  const std::string suffix_;
  std::map<std::string, std::shared_ptr<const Job>> seen_;
  std::map<std::string, std::shared_ptr<const Job>> ended_;
  std::map<std::string, std::string> refused_;
  std::set<std::string> retried_;  // may exist although the create was not acknowledged
  std::function<void()> then_ = [] {};
  PodScript pods_;
  client::Informer<std::shared_ptr<const Job>> jobs_;
  std::shared_ptr<Suite*> self_;  // callbacks hold it weakly
};

std::vector<const Scenario*> all_scenarios();

}  // namespace windlass::cluster_tests
