// The process of the API server in the simulated world: store and server on the simulated journal,
// which outlives them. It can crash and come back; whoever was connected is told. Gives every
// component a client of its own, so that each write is known by its writer.
//
// Lives on the executor "api-server"; owned by the cluster.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "api/feature_gates.h"
#include "apiserver/in_process_client.h"
#include "apiserver/server.h"
#include "sim/world.h"
#include "simulation/sim_journal.h"
#include "store/store.h"

namespace windlass::simulation {

class ApiHost {
 public:
  struct Options {
    api::FeatureGates gates = {};
    store::Limits limits = {};
    Duration commit_delay = Duration::zero();
  };

  ApiHost(sim::SimWorld& world, const Options& options, SimJournal::Observer observer);
  ~ApiHost();
  ApiHost(const ApiHost&) = delete;
  ApiHost& operator=(const ApiHost&) = delete;

  void start();
  // Nothing that was under way is answered. Not inside one of the server's own calls.
  void crash();
  bool is_up() const { return life_ != nullptr; }
  // From the next start on.
  void set_gates(const api::FeatureGates& gates) { options_.gates = gates; }

  sim::SimExecutor& executor() { return executor_; }
  // Only while it is up.
  apiserver::Server& server();
  // nullptr while it is down.
  client::ApiClient* client(const std::string& component);
  // The next call of a client is this one's.
  void announce(Writer writer) { announced_ = std::move(writer); }
  // Runs at every crash; `token` ends that.
  void when_lost(std::weak_ptr<void> token, std::function<void()> lost);

 private:
  // Remembers whose request a task carries out.
  class TaggingExecutor final : public env::Executor {
   public:
    explicit TaggingExecutor(ApiHost& host) : host_(host) {}
    void post(env::Task task) override;
    env::TimerId schedule(Duration delay, env::Task task) override;
    void cancel(env::TimerId timer) override { host_.executor_.cancel(timer); }

   private:
    ApiHost& host_;
  };
  struct Life {
    Life(ApiHost& host);
    store::Store store;
    apiserver::Server server;
    std::map<std::string, std::unique_ptr<apiserver::InProcessClient>> clients;
  };

  sim::SimWorld& world_;
  Options options_;
  sim::SimExecutor& executor_;
  TaggingExecutor tagging_;
  Writer announced_;
  Writer writer_;
  SimJournal journal_;
  std::unique_ptr<Life> life_;
  std::vector<std::pair<std::weak_ptr<void>, std::function<void()>>> lost_;
};

}  // namespace windlass::simulation
