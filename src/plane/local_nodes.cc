#include "plane/local_nodes.h"

#include <fmt/format.h>

#include <csignal>
#include <utility>

#include "plane/when_all.h"
#include "posix/files/data_directory.h"

namespace windlass::plane {
namespace {

// The default grace period of Kubernetes, for pods whose own is not known.
constexpr Duration kUnknownGrace = seconds(30);
constexpr Duration kEndCheck = milliseconds(100);

void end_until(env::Executor& executor, env::Clock& clock,
               const std::shared_ptr<env::Containers>& containers, MonotonicTime until, bool first,
               const std::function<void()>& ended) {
  containers->list([=, &executor, &clock](const std::vector<env::ContainerRunInfo>& runs) {
    bool any = false;
    for (const env::ContainerRunInfo& run : runs) {
      any = any || !run.over();
      if (first && !run.over()) {
        containers->signal(run.id, SIGTERM);
      }
    }
    if (!any || clock.monotonic() >= until) {
      containers->shut_down(ended);
      return;
    }
    executor.schedule(kEndCheck, [=, &executor, &clock] {
      end_until(executor, clock, containers, until, false, ended);
    });
  });
}

}  // namespace

LocalNodes::LocalNodes(env::Env env, ContainerFactory containers, client::ApiClient& api,
                       Options options)
    : env_(env), make_containers_(std::move(containers)), api_(api), options_(std::move(options)) {
  for (const std::string& name : options_.names) {
    Node& node = nodes_[name];
    node.directory = options_.folder + "/" + name;
    node.containers = make_containers_(supervisor_directory(node.directory), options_.life);
    node.agent = std::make_unique<node::Agent>(
        env_, *node.containers, api_, agent_config(options_.settings, name, node.directory),
        nullptr, options_.network, options_.host_resources);
    node.agent->share_ports(ports_);
  }
}

void LocalNodes::start(std::function<void()> on_ready,
                       std::function<void(const std::vector<std::string>&)> on_missing) {
  if (options_.ends_others) {
    end_others();
  }
  if (nodes_.empty()) {
    on_ready();
    return;
  }
  const auto ready = when_all(nodes_.size(), std::move(on_ready));
  nodes_.begin()->second.containers->support(
      [on_missing = std::move(on_missing)](const env::ContainerSupport& support) {
        on_missing(support.missing);
      });
  for (auto& [name, node] : nodes_) {
    node.agent->start(ready);
  }
}

void LocalNodes::end_others() {
  for (const std::string& name :
       env_.files.list(options_.folder).value_or(std::vector<std::string>())) {
    if (nodes_.contains(name)) {
      continue;
    }
    env_.log.warning("ending a node that is no longer configured, with its pods", {{"node", name}});
    const std::string directory = options_.folder + "/" + name;
    dropped_[name] =
        make_containers_(supervisor_directory(directory), ContainerLife::outlive_owner);
    dropped_[name]->shut_down([this, name, directory] { on_dropped(name, directory); });
  }
}

// Pod garbage collection deletes the pods once their Node object is gone (disruption.md G-6).
void LocalNodes::on_dropped(const std::string& name, const std::string& directory) {
  if (const Result<void> removed = env_.files.remove_tree(directory); !removed) {
    env_.log.warning("cannot remove the files of a node",
                     {{"node", name}, {"error", removed.error().message}});
  }
  api_.remove({&api::kinds::node(), "", name}, {},
              [&log = env_.log, name](const Result<client::ObjectPtr>& node) {
                if (!node && !is_not_found(node.error())) {
                  log.warning("cannot delete the Node object of a node",
                              {{"node", name}, {"error", node.error().message}});
                }
              });
}

void LocalNodes::stop(std::function<void()> on_stopped) {
  if (nodes_.empty()) {
    on_stopped();
    return;
  }
  const auto stopped = when_all(nodes_.size(), std::move(on_stopped));
  for (auto& [name, node] : nodes_) {
    node.agent->shut_down(
        [containers = node.containers, stopped] { containers->shut_down(stopped); });
  }
}

void LocalNodes::kill(std::function<void()> on_killed) {
  if (nodes_.empty()) {
    on_killed();
    return;
  }
  const auto killed = when_all(nodes_.size(), std::move(on_killed));
  for (auto& [name, node] : nodes_) {
    node.agent.reset();  // would restart what it sees end
    node.containers->shut_down(killed);
  }
}

void LocalNodes::end_supervisors(std::function<void()> on_ended) {
  const auto ended = when_all(nodes_.size(), std::move(on_ended));
  for (auto& [name, node] : nodes_) {
    if (has_supervisor(node.directory)) {
      end_gently(env_.executor, env_.clock, node.containers, ended);
    } else {
      node.containers->shut_down(ended);  // asking it for its containers would start it
    }
  }
}

void LocalNodes::prepare_for_shutdown(const std::function<void()>& on_done) {
  if (nodes_.empty()) {
    on_done();
    return;
  }
  const auto done = when_all(nodes_.size(), on_done);
  for (auto& [name, node] : nodes_) {
    node.agent->shut_down(done);
  }
}

void LocalNodes::stay_up() {
  for (auto& [name, node] : nodes_) {
    node.agent->stay_up();
  }
}

size_t LocalNodes::running_pods() const {
  size_t pods = 0;
  for (const auto& [name, node] : nodes_) {
    pods += node.agent ? node.agent->running_pods() : 0;
  }
  return pods;
}

std::optional<std::string> LocalNodes::directory_of(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::nullopt : std::optional(found->second.directory);
}

bool has_supervisor(const std::string& node_directory) {
  return posix::data_directory_in_use(supervisor_directory(node_directory));
}

void end_gently(env::Executor& executor, env::Clock& clock,
                const std::shared_ptr<env::Containers>& containers,
                const std::function<void()>& ended) {
  end_until(executor, clock, containers, clock.monotonic() + kUnknownGrace, true, ended);
}

std::vector<std::string> numbered_nodes(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 1; i <= count; ++i) {
    names.push_back(fmt::format("node-{}", i));
  }
  return names;
}

std::string up_nodes_folder(const std::string& data_dir) {
  return data_dir + "/nodes";
}

std::string joined_nodes_folder(const std::string& data_dir) {
  return data_dir + "/agents";
}

std::vector<std::string> node_directories(env::Files& files, const std::string& folder) {
  std::vector<std::string> directories;
  for (const std::string& name : files.list(folder).value_or(std::vector<std::string>())) {
    const std::string directory = folder + "/" + name;
    if (files.type(directory) == env::Files::Type::directory) {
      directories.push_back(directory);
    }
  }
  return directories;
}

}  // namespace windlass::plane
