#include "scheduler/cluster/nominations.h"

namespace windlass::scheduler {

bool Nominations::set(const PodPtr& pod, const std::string& node) {
  if (node_of(pod->uid) == node) {
    if (!node.empty()) {
      pods_.at(node)[pod->uid] = pod;
    }
    return false;
  }
  clear(pod->uid);
  if (!node.empty()) {
    nodes_.emplace(pod->uid, node);
    pods_[node].emplace(pod->uid, pod);
    ++generation_;
  }
  return true;
}

bool Nominations::clear(const std::string& uid) {
  const auto found = nodes_.find(uid);
  if (found == nodes_.end()) {
    return false;
  }
  const auto there = pods_.find(found->second);
  there->second.erase(uid);
  if (there->second.empty()) {
    pods_.erase(there);
  }
  nodes_.erase(found);
  ++generation_;
  return true;
}

const std::string& Nominations::node_of(const std::string& uid) const {
  static const std::string kNone;
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? kNone : found->second;
}

const std::map<std::string, PodPtr>* Nominations::at(const std::string& node) const {
  const auto found = pods_.find(node);
  return found == pods_.end() ? nullptr : &found->second;
}

}  // namespace windlass::scheduler
