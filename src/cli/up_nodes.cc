#include "cli/up_nodes.h"

#include <fmt/format.h>

#include <utility>

namespace windlass::cli {
namespace {

constexpr const char* kSupervisorFolder = "/supervisor";

std::string nodes_folder(const std::string& data_dir) {
  return data_dir + "/nodes";
}

// Runs `then` when it has been called so often.
std::function<void()> after(size_t times, std::function<void()> then) {
  return [left = std::make_shared<size_t>(times), then = std::move(then)] {
    if (--*left == 0) {
      then();
    }
  };
}

}  // namespace

UpNodes::UpNodes(env::Env env, ContainerFactory containers, client::ApiClient& api, Options options)
    : env_(env), make_containers_(std::move(containers)), api_(api), options_(std::move(options)) {
  for (size_t i = 1; i <= options_.count; ++i) {
    node::AgentConfig config;
    config.node_name = fmt::format("node-{}", i);
    config.data_dir = nodes_folder(options_.data_dir) + "/" + config.node_name;
    config.capacity = options_.capacity;
    config.base_environment = options_.environment;
    config.disruption_conditions = options_.disruption_conditions;
    config.shutdown = options_.shutdown;
    config.pressure = options_.pressure;
    config.image_dir = options_.images.directory;
    config.require_images = options_.images.required;
    Node& node = nodes_[config.node_name];
    node.directory = config.data_dir;
    node.containers =
        make_containers_(config.data_dir + kSupervisorFolder, ContainerLife::outlive_owner);
    node.agent = std::make_unique<node::Agent>(env_, *node.containers, api_, config, nullptr,
                                               options_.network, options_.supplies);
  }
}

void UpNodes::start(std::function<void()> on_ready,
                    std::function<void(const std::vector<std::string>&)> on_missing) {
  end_dropped();
  if (nodes_.empty()) {
    on_ready();
    return;
  }
  const auto ready = after(nodes_.size(), std::move(on_ready));
  nodes_.begin()->second.containers->support(
      [on_missing = std::move(on_missing)](const env::ContainerSupport& support) {
        on_missing(support.missing);
      });
  for (auto& [name, node] : nodes_) {
    node.agent->start(ready);
  }
}

void UpNodes::end_dropped() {
  const std::string nodes = nodes_folder(options_.data_dir);
  for (const std::string& name : env_.files.list(nodes).value_or(std::vector<std::string>())) {
    if (nodes_.contains(name)) {
      continue;
    }
    env_.log.warning("a node is not wanted any more, its pods end", {{"node", name}});
    const std::string directory = nodes + "/" + name;
    dropped_[name] = make_containers_(directory + kSupervisorFolder, ContainerLife::outlive_owner);
    dropped_[name]->shut_down([this, name, directory] { on_dropped(name, directory); });
  }
}

// Without its Node object the pods are nobody's, and are ended for good (disruption.md G-6).
void UpNodes::on_dropped(const std::string& name, const std::string& directory) {
  if (const Result<void> removed = env_.files.remove_tree(directory); !removed) {
    env_.log.warning("the files of a node cannot be removed",
                     {{"node", name}, {"error", removed.error().message}});
  }
  api_.remove({&api::kinds::node(), "", name}, {},
              [&log = env_.log, name](const Result<client::ObjectPtr>& node) {
                if (!node && !is_not_found(node.error())) {
                  log.warning("a node cannot be removed",
                              {{"node", name}, {"error", node.error().message}});
                }
              });
}

void UpNodes::stop(std::function<void()> on_stopped) {
  if (nodes_.empty()) {
    on_stopped();
    return;
  }
  const auto stopped = after(nodes_.size(), std::move(on_stopped));
  for (auto& [name, node] : nodes_) {
    node.agent->shut_down(
        [containers = node.containers, stopped] { containers->shut_down(stopped); });
  }
}

void UpNodes::prepare_for_shutdown(const std::function<void()>& on_done) {
  if (nodes_.empty()) {
    on_done();
    return;
  }
  const auto done = after(nodes_.size(), on_done);
  for (auto& [name, node] : nodes_) {
    node.agent->shut_down(done);
  }
}

void UpNodes::stay_up() {
  for (auto& [name, node] : nodes_) {
    node.agent->stay_up();
  }
}

size_t UpNodes::running_pods() const {
  size_t pods = 0;
  for (const auto& [name, node] : nodes_) {
    pods += node.agent->running_pods();
  }
  return pods;
}

std::optional<std::string> UpNodes::directory_of(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::nullopt : std::optional(found->second.directory);
}

std::vector<std::string> supervisor_directories(env::Files& files, const std::string& data_dir) {
  std::vector<std::string> directories;
  const std::string nodes = nodes_folder(data_dir);
  for (const std::string& name : files.list(nodes).value_or(std::vector<std::string>())) {
    directories.push_back(nodes + "/" + name + kSupervisorFolder);
  }
  return directories;
}

}  // namespace windlass::cli
