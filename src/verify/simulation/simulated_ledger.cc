#include "verify/simulation/simulated_ledger.h"

#include <utility>

#include "base/hash.h"
#include "base/weak_self.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::verify::simulation {
namespace {

using controllers::job::JobController;

uint64_t ledger_seed(uint64_t seed) {
  StableHash hash;
  hash.add(seed);
  hash.add("ledger");
  return hash.value();
}

std::unique_ptr<SimulatedProcess> make_controller(const client::ClientEnv& env,
                                                  JobController::Options options,
                                                  evidence::AttemptRecorder& recorder,
                                                  bool elected) {
  options.attempts = &recorder;
  if (elected) {
    return std::make_unique<ElectedJobController>(env, std::move(options));
  }
  return std::make_unique<ControllerProcess<JobController>>(env, std::move(options));
}

}  // namespace

class SimulatedLedger::LedgerLine final : public ledger::Ledger {
 public:
  LedgerLine(SimulatedLedger& ledger, env::Executor& executor)
      : ledger_(ledger), executor_(executor) {}

  void record(ledger::AttemptPtr attempt, std::function<void(Result<void>)> done) override {
    const Duration delay =
        milliseconds(ledger_.generator_.between(0, SimulatedLedger::kMaxDelayMilliseconds));
    const bool refused = ledger_.generator_.uniform(SimulatedLedger::kRefusedOf) == 0;
    // The ledger goes on when its client is gone; the answer does not arrive then.
    ledger_.executor_.schedule(
        delay, [&history = ledger_.history_, &executor = executor_, refused,
                uid = attempt->metadata().name(), counted = attempt->verdict().counted(),
                answer = self_.bind([done = std::move(done)](
                                        LedgerLine&, const Result<void>& result) { done(result); }),
                alive = self_.lifetime()]() mutable {
          if (!refused) {
            history.on_attempt(uid, counted);
          }
          if (!alive.expired()) {
            executor.post([answer = std::move(answer), refused]() mutable {
              answer(refused ? Result<void>(fail(plain_error("refused by the simulation")))
                             : Result<void>());
            });
          }
        });
  }

 private:
  SimulatedLedger& ledger_;
  env::Executor& executor_;
  WeakSelf<LedgerLine> self_{this};
};

SimulatedLedger::SimulatedLedger(virtual_world::VirtualWorld& world, uint64_t seed,
                                 History& history)
    : executor_(world.executor("ledger")), generator_(ledger_seed(seed)), history_(history) {}

std::unique_ptr<ledger::Ledger> SimulatedLedger::line(env::Executor& executor) {
  return std::make_unique<LedgerLine>(*this, executor);
}

RecordingJobController::RecordingJobController(const client::ClientEnv& env,
                                               SimulatedLedger& ledger,
                                               JobController::Options options, bool elected)
    : ledger_(ledger.line(env.executor)),
      recorder_(env, *ledger_, {}),
      controller_(make_controller(env, std::move(options), recorder_, elected)) {}

}  // namespace windlass::verify::simulation
