// A Job controller that works while it holds a Lease, as `windlass controller --leader-elect` does:
// its writes pass only while it leads, it begins with fresh lists when it is elected, and when it
// has lost the Lease it stops and stands for election again, as a restarted process would.
//
// A process of the simulated cluster: on the component's executor, destroyed by its crash.
#pragma once

#include <memory>
#include <optional>

#include "base/weak_self.h"
#include "client/fenced_client.h"
#include "client/leader_election.h"
#include "controllers/job/controller.h"
#include "verify/simulation/component.h"

namespace windlass::verify::simulation {

class ElectedJobController final : public Process {
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
