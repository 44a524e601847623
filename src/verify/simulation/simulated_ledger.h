// The attempt ledger of a simulated cluster: a machine of its own, which answers late, refuses now
// and then, and outlives every controller. What it has is in the history.
//
// Used from all components, each through a line of its own; one thread.
#pragma once

#include <memory>
#include <string>

#include "base/generator.h"
#include "client/reflector.h"
#include "controllers/job/controller.h"
#include "evidence/attempt_recorder.h"
#include "ledger/ledger.h"
#include "verify/simulation/component.h"
#include "verify/simulation/history.h"
#include "virtual_world/world.h"

namespace windlass::verify::simulation {

class SimulatedLedger {
 public:
  SimulatedLedger(virtual_world::VirtualWorld& world, uint64_t seed, History& history);

  // For a component with this executor. Its answers end with it.
  std::unique_ptr<ledger::Ledger> line(env::Executor& executor);

 private:
  class LedgerLine;
  static constexpr uint64_t kRefusedOf = 20;  // one in so many
  static constexpr int64_t kMaxDelayMilliseconds = 20;

  virtual_world::VirtualExecutor& executor_;
  Generator generator_;
  History& history_;
};

// A Job controller that records its attempts.
class RecordingJobController final : public SimulatedProcess {
 public:
  RecordingJobController(const client::ClientEnv& env, SimulatedLedger& ledger,
                         controllers::job::JobController::Options options, bool elected);

 private:
  std::unique_ptr<ledger::Ledger> ledger_;
  evidence::AttemptRecorder recorder_;
  std::unique_ptr<SimulatedProcess> controller_;
};

}  // namespace windlass::verify::simulation
