#include "controllers/pod_gc/controller.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/kind.h"

namespace windlass::controllers::pod_gc {

Writes writes_with(const api::FeatureGates& gates) {
  const bool conditions = gates.enabled(api::Feature::pod_disruption_conditions);
  return {conditions || gates.enabled(api::Feature::job_pod_replacement_policy), conditions};
}

PodGcController::PodGcController(client::ClientEnv env, Options options)
    : env_(env),
      options_(std::move(options)),
      deleter_(env, options_.writes, options_.count),
      nodes_(env, {&api::kinds::node()}, read_node),
      pods_(env, {&api::kinds::pod()}, read_pod) {
  const auto on_node = [this](const ServiceNode& node) {
    if (node.out_of_service) {
      out_of_service_.insert(node.name);
    } else {
      out_of_service_.erase(node.name);
    }
  };
  nodes_.add_handler({on_node,
                      [on_node](const ServiceNode&, const ServiceNode& now) { on_node(now); },
                      [this](const ServiceNode& last) { out_of_service_.erase(last.name); }});
  pods_.keep_while(is_current);
  pods_.add_handler({[this](const CollectablePod& added) { index_.add(added); },
                     [this](const CollectablePod& before, const CollectablePod& now) {
                       index_.remove(before);
                       index_.add(now);
                     },
                     [this](const CollectablePod& last) { index_.remove(last); }});
  // Pods are listed before nodes: a pod's node is then in the list if it was ever there.
  pods_.when_synced([this] { nodes_.start(); });
  nodes_.when_synced([this] { run_round(); });
}

PodGcController::~PodGcController() {
  env_.executor.cancel(timer_);
}

void PodGcController::start() {
  pods_.start();
}

void PodGcController::run_round() {
  timer_ = env_.executor.schedule(options_.period, [this] { run_round(); });
  sweep_terminated();
  sweep_out_of_service();
  sweep_orphaned();
  sweep_unscheduled();
}

bool PodGcController::is_done_with(const CollectablePod& pod) const {
  return pod.grace_over && (pod.terminal || !options_.writes.phase);
}

void PodGcController::collect(const CollectablePod& pod, Sweep sweep) {
  if (!is_done_with(pod)) {
    deleter_.add(pod, sweep);
  }
}

void PodGcController::sweep_terminated() {
  const size_t count = index_.terminated().size();
  if (options_.terminated_threshold == 0 || count <= options_.terminated_threshold) {
    return;
  }
  size_t excess = count - options_.terminated_threshold;
  for (const auto& [not_evicted, created, key] : index_.terminated()) {
    if (excess-- == 0) {
      break;
    }
    collect(*pods_.find(key), Sweep::terminated);
  }
}

void PodGcController::sweep_out_of_service() {
  std::map<std::tuple<bool, Time, std::string>, const CollectablePod*> ranked;
  for (const std::string& node : out_of_service_) {
    const auto pods = index_.by_node().find(node);
    if (pods == index_.by_node().end()) {
      continue;
    }
    for (const std::string& key : pods->second) {
      if (const CollectablePod* pod = pods_.find(key); pod->deleting) {
        ranked.emplace(pod->rank(), pod);
      }
    }
  }
  for (const auto& [rank, pod] : ranked) {
    collect(*pod, Sweep::out_of_service);
  }
}

void PodGcController::sweep_unscheduled() {
  for (const std::string& key : index_.unscheduled_terminating()) {
    collect(*pods_.find(key), Sweep::unscheduled);
  }
}

bool PodGcController::has_orphans(const std::set<std::string>& keys) const {
  return std::any_of(keys.begin(), keys.end(),
                     [this](const std::string& key) { return !is_done_with(*pods_.find(key)); });
}

void PodGcController::sweep_orphaned() {
  const MonotonicTime now = env_.clock.monotonic();
  for (const auto& [node, keys] : index_.by_node()) {
    if (nodes_.find(node) == nullptr && !to_check_.contains(node) && has_orphans(keys)) {
      quarantine_.emplace(node, now + options_.quarantine);  // G-5: not extended
    }
  }
  for (auto entry = quarantine_.begin(); entry != quarantine_.end();) {
    if (nodes_.find(entry->first) != nullptr) {
      entry = quarantine_.erase(entry);  // G-7
    } else if (entry->second <= now) {
      to_check_.insert(entry->first);
      entry = quarantine_.erase(entry);
    } else {
      ++entry;
    }
  }
  check_next_node();
}

void PodGcController::check_next_node() {
  while (!to_check_.empty() && checks_under_way_ < kMaxNodeChecks) {
    const std::string node = *to_check_.begin();
    to_check_.erase(to_check_.begin());
    ++checks_under_way_;
    env_.client.get(
        {&api::kinds::node(), "", node},
        self_.bind([node](PodGcController& self, const Result<client::ObjectPtr>& answer) {
          self.on_node_checked(node, answer);
        }));
  }
}

// G-6: only NotFound confirms; anything else is quarantined anew in a later round.
void PodGcController::on_node_checked(const std::string& node,
                                      const Result<client::ObjectPtr>& answer) {
  --checks_under_way_;
  check_next_node();
  if (!answer && is_not_found(answer.error())) {
    sweep_pods_of(node);
  } else if (!answer) {
    env_.log.warning("cannot tell whether a node is gone, will ask again",
                     {{"node", node}, {"error", answer.error().message}});
  }
}

void PodGcController::sweep_pods_of(const std::string& node) {
  const auto pods = index_.by_node().find(node);
  if (pods == index_.by_node().end() || nodes_.find(node) != nullptr) {
    return;
  }
  for (const std::string& key : pods->second) {
    collect(*pods_.find(key), Sweep::orphaned);
  }
}

}  // namespace windlass::controllers::pod_gc
