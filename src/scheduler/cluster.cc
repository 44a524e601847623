#include "scheduler/cluster.h"

#include <utility>

namespace windlass::scheduler {

bool Cluster::set_node(NodeInfo node) {
  const auto found = nodes_.find(node.name);
  if (found != nodes_.end() && found->second == node) {
    return false;
  }
  std::string name = node.name;
  nodes_.insert_or_assign(std::move(name), std::move(node));
  return true;
}

void Cluster::remove_node(const std::string& name) {
  nodes_.erase(name);
}

void Cluster::set_pod(const std::string& uid, const std::string& node, const Resources& requests) {
  place(uid, {node, requests, false});
}

void Cluster::assume(const std::string& uid, const std::string& node, const Resources& requests) {
  place(uid, {node, requests, true});
}

void Cluster::place(const std::string& uid, Assigned assigned) {
  remove_pod(uid);
  NodeUsage& usage = usage_[assigned.node];
  add(usage.requested, assigned.requests);
  ++usage.pods;
  pods_.emplace(uid, std::move(assigned));
}

bool Cluster::remove_pod(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) {
    return false;
  }
  const auto usage = usage_.find(found->second.node);
  subtract(usage->second.requested, found->second.requests);
  if (--usage->second.pods == 0) {
    usage_.erase(usage);
  }
  pods_.erase(found);
  return true;
}

void Cluster::forget(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found != pods_.end() && found->second.assumed) {
    remove_pod(uid);
  }
}

std::vector<Candidate> Cluster::candidates() const {
  std::vector<Candidate> all;
  all.reserve(nodes_.size());
  for (const auto& [name, node] : nodes_) {
    const auto usage = usage_.find(name);
    all.push_back({&node, usage == usage_.end() ? NodeUsage{} : usage->second});
  }
  return all;
}

}  // namespace windlass::scheduler
