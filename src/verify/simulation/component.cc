#include "verify/simulation/component.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace windlass::verify::simulation {

Component::Component(std::string name, Surroundings around, Factory factory)
    : name_(std::move(name)),
      around_(std::move(around)),
      factory_(std::move(factory)),
      executor_(around_.world.executor(name_)) {}

Component::~Component() {
  crash();
}

void Component::start() {
  if (life_) {
    return;
  }
  ++lives_;
  around_.world.trace("start " + name_);
  life_ = std::make_unique<Life>();
  life_->client = std::make_unique<FaultyClient>(
      Line{name_, around_.host, executor_, around_.world.clock(), around_.faults, around_.generator,
           around_.latency, [this] { die(); }, around_.on_invalid});
  executor_.resume();
  life_->process = factory_({*life_->client, executor_, around_.world.clock(),
                             around_.world.random(), around_.world.log()});
}

void Component::crash() {
  if (life_) {
    around_.world.trace("crash " + name_);
    life_->client->cut();
    life_->process.reset();
    life_.reset();
  }
  executor_.clear();
  executor_.resume();
}

void Component::die() {
  if (std::exchange(dying_, true)) {
    return;
  }
  executor_.pause();
  around_.world.executor("control").post([this] {
    dying_ = false;
    crash();
    around_.on_crash(*this);
  });
}

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
