#include "node/hollow/hollow_nodes.h"

#include <fmt/format.h>

#include <utility>

#include "api/kind.h"
#include "base/hash.h"
#include "client/update_status.h"
#include "node/node_object.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::node::hollow {

namespace {

constexpr const char* kHollow = "windlass.dev/hollow";

Script script_of(const HollowOptions& options) {
  if (options.script) {
    return options.script;
  }
  return [mix = options.mix](const PodSpec& pod) { return behavior_of(pod, mix); };
}

}  // namespace

AgentConfig hollow_config(size_t number, size_t zones) {
  AgentConfig config;
  config.node_name = fmt::format("hollow-{}", number);
  config.capacity = {
      {"cpu", "32"}, {"memory", "256Gi"}, {"ephemeral-storage", "1Ti"}, {"pods", "110"}};
  config.runtime = "windlass://hollow";
  config.labels = {{kHollow, "true"}};
  config.annotations = {{kHollow, "true"}};
  if (zones > 0) {
    config.labels.emplace("topology.kubernetes.io/zone", fmt::format("zone-{}", number % zones));
  }
  return config;
}

HollowNodes::HollowNodes(client::ClientEnv env, HollowOptions options)
    : env_(env),
      options_(std::move(options)),
      heartbeats_(env, options_.heartbeats),
      pods_(env, {script_of(options_), options_.disruption_conditions}),
      informer_(env, {&api::kinds::node()},
                [this](const api::Message& node) { return read(node); }) {
  for (const AgentConfig& config : options_.nodes) {
    nodes_.emplace(config.node_name, std::make_unique<Node>(env, config));
    to_register_.push_back(config.node_name);
    pods_.add_node(config.node_name);
  }
  informer_.add_handler({[this](const NodeFacts& node) { on_node(node); },
                         [this](const NodeFacts&, const NodeFacts& now) { on_node(now); },
                         {}});
  pods_.when_synced([this] {
    if (on_ready_) {
      on_ready_();
    }
  });
}

HollowNodes::~HollowNodes() {
  for (const auto& [name, node] : nodes_) {
    env_.executor.cancel(node->timer);
  }
}

void HollowNodes::start(std::function<void()> on_ready) {
  on_ready_ = std::move(on_ready);
  if (nodes_.empty()) {
    pods_.start();
  }
  register_next();
}

void HollowNodes::register_next() {
  while (registering_ < kMaxRegistrations && !to_register_.empty()) {
    const std::string name = std::move(to_register_.front());
    to_register_.pop_front();
    ++registering_;
    nodes_.at(name)->registration.start([this, name] { on_registered(name); });
  }
}

void HollowNodes::on_registered(const std::string& name) {
  --registering_;
  ++registered_;
  Node& node = *nodes_.at(name);
  node.registered = true;
  heartbeats_.add(name, node.registration.uid());
  const auto period = static_cast<uint64_t>(options_.status_period.count());
  write_later(name, node, Duration(static_cast<int64_t>(stable_hash(name) % period)));
  if (registered_ == nodes_.size()) {
    informer_.start();
    pods_.start();
  }
  register_next();
}

HollowNodes::NodeFacts HollowNodes::read(const api::Message& message) const {
  const auto& metadata = static_cast<const api::core::v1::Node&>(message).metadata();
  const auto found = nodes_.find(metadata.name());
  if (found == nodes_.end()) {
    return {};
  }
  return {metadata.name(), metadata.uid(), says(message, found->second->health)};
}

// The node life cycle controller has called it Unknown, or another client has changed it.
void HollowNodes::on_node(const NodeFacts& node) {
  if (!node.name.empty() && !node.as_it_should) {
    write_status(node.name);
  }
}

void HollowNodes::write_later(const std::string& name, Node& node, Duration delay) {
  env_.executor.cancel(node.timer);
  node.timer = env_.executor.schedule(delay, [this, name] {
    nodes_.at(name)->timer = env::TimerId::none;
    write_status(name);
  });
}

void HollowNodes::write_status(const std::string& name) {
  Node& node = *nodes_.at(name);
  if (node.silent || !node.registered) {
    return;
  }
  if (node.writing) {
    node.again = true;
    return;
  }
  node.writing = true;
  client::update_status(
      env_.client, {&api::kinds::node(), "", name}, node.registration.uid(),
      [this, alive = self_.lifetime(), name](api::Message& message) {
        if (alive.expired()) {
          return false;
        }
        const Node& changed = *nodes_.at(name);
        refresh_node(changed.config, env_.clock.now(), message, changed.health);
        return true;
      },
      self_.bind([name](HollowNodes& self, const Result<client::ObjectPtr>& answer) {
        self.on_written(name, answer);
      }));
}

void HollowNodes::on_written(const std::string& name, const Result<client::ObjectPtr>& answer) {
  Node& node = *nodes_.at(name);
  node.writing = false;
  if (!answer) {
    // Gone: as a kubelet it asks again and again, and makes no new one.
    write_later(name, node, is_not_found(answer.error()) ? options_.status_period : kRetry);
    return;
  }
  write_later(name, node, options_.status_period);
  if (std::exchange(node.again, false)) {
    write_status(name);
  }
}

void HollowNodes::set_silent(const std::string& name, bool silent) {
  Node& node = *nodes_.at(name);
  node.silent = silent;
  heartbeats_.set_silent(name, silent);
  pods_.set_silent(name, silent);
  if (!silent) {
    write_status(name);
  }
}

void HollowNodes::set_health(const std::string& name, const NodeHealth& health) {
  nodes_.at(name)->health = health;
  write_status(name);
}

void HollowNodes::shut_down(const std::string& name, Duration grace) {
  NodeHealth health = nodes_.at(name)->health;
  health.shutting_down = true;
  set_health(name, health);
  pods_.end_all(name, *forced_end(End::shutdown), grace);
}

bool HollowNodes::end_pod(const std::string& key, End why) {
  const std::optional<ForcedEnd> forced = forced_end(why);
  return forced && pods_.end(key, *forced, Duration::zero());
}

}  // namespace windlass::node::hollow
