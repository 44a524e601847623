// Runs scenarios on one API server: creates their Jobs, plays the nodes, and waits until all have
// ended. Somebody else controls the Jobs. Lives on the client's executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/outcome.h"
#include "cluster/pod_script.h"

namespace windlass::cluster_tests {

class Suite {
 public:
  using Job = api::batch::v1::Job;

  // `chosen` outlive this.
  Suite(client::ClientEnv env, std::string ns, std::string manager,
        std::vector<const Scenario*> chosen);

  void start();
  bool done() const { return ended_.size() == chosen_.size(); }
  // Runs when all Jobs have ended.
  void when_done(std::function<void()> then) { then_ = std::move(then); }

  // By the scenario's name; those that have ended.
  const std::map<std::string, std::shared_ptr<const Job>>& ended() const { return ended_; }
  // Of Jobs that the API server would not take.
  const std::map<std::string, std::string>& refused() const { return refused_; }

 private:
  void create(const Scenario& scenario);
  void on_job(const std::shared_ptr<const Job>& job);

  client::ClientEnv env_;
  const std::string ns_;
  const std::string manager_;
  const std::vector<const Scenario*> chosen_;
  std::map<std::string, std::shared_ptr<const Job>> ended_;
  std::map<std::string, std::string> refused_;
  std::function<void()> then_ = [] {};
  PodScript pods_;
  client::Informer<std::shared_ptr<const Job>> jobs_;
};

std::vector<const Scenario*> all_scenarios();

}  // namespace windlass::cluster_tests
