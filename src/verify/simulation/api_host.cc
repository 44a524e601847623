#include "verify/simulation/api_host.h"

#include <utility>

#include "apiserver/system_objects.h"
#include "base/check.h"

namespace windlass::verify::simulation {

void ApiHost::TaggingExecutor::post(env::Task task) {
  host_.executor_.post([&host = host_, writer = host_.announced_, task = std::move(task)] {
    host.writer_ = writer;
    task();
    host.writer_ = {};
  });
}

env::TimerId ApiHost::TaggingExecutor::schedule(Duration delay, env::Task task) {
  return host_.executor_.schedule(delay, std::move(task));
}

ApiHost::Life::Life(ApiHost& host)
    : store(&host.journal_, host.options_.limits),
      server(store, host.world_.clock(), host.world_.random(), host.options_.gates) {}

ApiHost::ApiHost(virtual_world::VirtualWorld& world, const Options& options,
                 SimulatedJournal::Observer observer)
    : world_(world),
      options_(options),
      executor_(world.executor("api-server")),
      tagging_(*this),
      journal_(executor_, world.choices(), writer_, options.commit_delay, std::move(observer)) {}

ApiHost::~ApiHost() {
  executor_.clear();
}

void ApiHost::start() {
  CHECK(!life_, "it is down");
  life_ = std::make_unique<Life>(*this);
  CHECK(life_->store.load().has_value(), "a simulated journal can be read");
  writer_ = {"api-server"};
  apiserver::create_system_objects(life_->server, {});
  writer_ = {};
  life_->server.set_admission(apiserver::Admission::all());
}

void ApiHost::crash() {
  CHECK(life_, "it is up");
  journal_.crash(world_.choices().chance(0.5));
  // What they hold of the server goes before it does.
  const auto lost = std::exchange(lost_, {});
  for (const auto& [token, tell] : lost) {
    if (!token.expired()) {
      lost_.emplace_back(token, tell);
      tell();
    }
  }
  life_.reset();
  executor_.clear();
}

apiserver::Server& ApiHost::server() {
  CHECK(life_, "it is up");
  return life_->server;
}

client::ApiClient* ApiHost::client(const std::string& component) {
  if (!life_) {
    return nullptr;
  }
  auto& client = life_->clients[component];
  if (!client) {
    client = std::make_unique<apiserver::InProcessClient>(life_->server, tagging_);
  }
  return client.get();
}

void ApiHost::when_lost(std::weak_ptr<const void> token, std::function<void()> lost) {
  lost_.emplace_back(std::move(token), std::move(lost));
}

}  // namespace windlass::verify::simulation
