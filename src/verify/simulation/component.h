// One process of the simulated cluster: a controller, the scheduler, a node agent. It has an
// executor of its own and lives several lives: a crash destroys everything it had in memory, with
// no chance to say good-bye, and a later start builds it anew. Owned by the cluster.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/weak_self.h"
#include "client/fenced_client.h"
#include "client/leader_election.h"
#include "client/reflector.h"
#include "controllers/job/controller.h"
#include "verify/simulation/faults/faulty_client.h"
#include "virtual_world/world.h"

namespace windlass::verify::simulation {

// What a component is, while it lives.
class SimulatedProcess {
 public:
  virtual ~SimulatedProcess() = default;
};

// Any controller with start().
template <class T>
class ControllerProcess final : public SimulatedProcess {
 public:
  template <class... Arguments>
  explicit ControllerProcess(Arguments&&... arguments)
      : controller_(std::forward<Arguments>(arguments)...) {
    controller_.start();
  }

 private:
  T controller_;
};

class Component {
 public:
  using Factory = std::function<std::unique_ptr<SimulatedProcess>(const client::ClientEnv&)>;

  struct Surroundings {
    virtual_world::VirtualWorld& world;
    ApiHost& host;
    FaultSource& faults;
    Generator& generator;
    Duration latency;
    std::function<void(const std::string& what, const Status&)> on_invalid;
    // A crash that a fault asked for has happened.
    std::function<void(Component&)> on_crash;
  };

  Component(std::string name, Surroundings around, Factory factory);
  ~Component();
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  const std::string& name() const { return name_; }
  bool is_up() const { return life_ != nullptr; }
  uint64_t lives() const { return lives_; }
  virtual_world::VirtualExecutor& executor() { return executor_; }

  void start();
  // Also when it is down. Not from one of its own tasks.
  void crash();

 private:
  struct Life {
    std::unique_ptr<FaultyClient> client;
    std::unique_ptr<SimulatedProcess> process;
  };

  // From one of its own tasks: nothing of it runs any more, and it is destroyed soon.
  void die();

  std::string name_;
  Surroundings around_;
  Factory factory_;
  virtual_world::VirtualExecutor& executor_;
  std::unique_ptr<Life> life_;
  uint64_t lives_ = 0;
  bool dying_ = false;
};

// A Job controller that works while it holds a Lease, as `windlass controller --leader-elect` does:
// its writes pass only while it leads, it begins with fresh lists when it is elected, and when it
// has lost the Lease it stops and stands for election again, as a restarted process would.
//
// A process of the simulated cluster: on the component's executor, destroyed by its crash.
class ElectedJobController final : public SimulatedProcess {
 public:
  ElectedJobController(const client::ClientEnv& env,
                       controllers::job::JobController::Options options);
  ~ElectedJobController() override;
  ElectedJobController(const ElectedJobController&) = delete;
  ElectedJobController& operator=(const ElectedJobController&) = delete;

 private:
  void stand();
  void work();
  void stand_down();

  client::ClientEnv env_;
  controllers::job::JobController::Options options_;
  client::FencedClient fenced_;
  std::optional<client::LeaderElection> election_;
  std::unique_ptr<controllers::job::JobController> controller_;
  WeakSelf<ElectedJobController> self_{this};
};

}  // namespace windlass::verify::simulation
