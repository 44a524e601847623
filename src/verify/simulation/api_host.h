// The process of the API server in the simulated world: store and server on the simulated journal,
// which outlives them. It can crash and come back; its clients are told. Gives every
// component a client of its own, so that each write is known by its writer.
//
// Lives on the executor "api-server"; owned by the cluster.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "api/feature_gates.h"
#include "apiserver/client/in_process_client.h"
#include "apiserver/server.h"
#include "store/store.h"
#include "verify/simulation/simulated_journal.h"
#include "virtual_world/world.h"

namespace windlass::verify::simulation {

class ApiHost {
 public:
  struct Options {
    api::FeatureGates gates = {};
    store::StoreLimits limits = {};
    Duration commit_delay = Duration::zero();
  };

  ApiHost(virtual_world::VirtualWorld& world, const Options& options,
          SimulatedJournal::Observer observer);
  ~ApiHost();
  ApiHost(const ApiHost&) = delete;
  ApiHost& operator=(const ApiHost&) = delete;

  void start();
  // Nothing that was under way is answered. Not inside one of the server's own calls.
  void crash();
  bool is_up() const { return life_ != nullptr; }
  // From the next start on.
  void set_gates(const api::FeatureGates& gates) { options_.gates = gates; }

  virtual_world::VirtualExecutor& executor() { return executor_; }
  // Only while it is up.
  apiserver::Server& server();
  // nullptr while it is down.
  client::ApiClient* client(const std::string& component);
  // The next call of a client is this one's.
  void announce(WriteOrigin writer) { announced_ = std::move(writer); }
  // Runs at every crash; `token` ends that.
  void when_lost(std::weak_ptr<const void> token, std::function<void()> lost);

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

  virtual_world::VirtualWorld& world_;
  Options options_;
  virtual_world::VirtualExecutor& executor_;
  TaggingExecutor tagging_;
  WriteOrigin announced_;
  WriteOrigin writer_;
  SimulatedJournal journal_;
  std::unique_ptr<Life> life_;
  std::vector<std::pair<std::weak_ptr<const void>, std::function<void()>>> lost_;
};

}  // namespace windlass::verify::simulation
