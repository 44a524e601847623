// For which waiting pods room is being made, and where (disruption.md S-12). Owned by the
// scheduler, on its executor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scheduler/cluster/pod_info.h"

namespace windlass::scheduler {

class Nominations {
 public:
  // "" takes the nomination back. True when it changed.
  bool set(const PodPtr& pod, const std::string& node);
  bool clear(const std::string& uid);

  // "" when it has none.
  const std::string& node_of(const std::string& uid) const;
  // In the order of their uids; nullptr for none.
  const std::map<std::string, PodPtr>* at(const std::string& node) const;
  bool empty() const { return nodes_.empty(); }
  // Grows with every change.
  uint64_t generation() const { return generation_; }

 private:
  std::map<std::string, std::string> nodes_;                   // by uid
  std::map<std::string, std::map<std::string, PodPtr>> pods_;  // by node, then uid
  uint64_t generation_ = 0;
};

}  // namespace windlass::scheduler
