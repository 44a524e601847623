#include "verify/simulation/elected_controller.h"

#include <fmt/format.h>

#include <utility>

namespace windlass::verify::simulation {

ElectedJobController::ElectedJobController(const client::ClientEnv& env,
                                           controllers::job::JobController::Options options)
    : env_(env),
      options_(std::move(options)),
      fenced_(env.client, env.executor, [this] { return election_ && election_->is_leader(); }) {
  stand();
}

ElectedJobController::~ElectedJobController() = default;

void ElectedJobController::stand() {
  client::LeaderElection::Options options;
  options.name = "windlass-job-controller";
  options.identity = fmt::format("{:016x}", env_.random.next());
  election_.emplace(env_, options,
                    client::LeaderElection::Callbacks{
                        [this] { work(); },
                        [this] {
                          // Not from inside the election that is to go.
                          env_.executor.post(self_.bind(&ElectedJobController::stand_down));
                        }});
  election_->start();
}

void ElectedJobController::work() {
  controller_ = std::make_unique<controllers::job::JobController>(
      client::ClientEnv{fenced_, env_.executor, env_.clock, env_.random, env_.log}, options_);
  controller_->start();
}

void ElectedJobController::stand_down() {
  controller_.reset();
  election_.reset();
  stand();
}

}  // namespace windlass::verify::simulation
