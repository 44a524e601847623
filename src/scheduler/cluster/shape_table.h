// Finds the one PodShape for all pods whose specs ask the same of a node. Shapes live as long as a
// pod has them; the table only remembers them. Owned by the scheduler, on its executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "scheduler/cluster/pod_info.h"

namespace windlass::scheduler {

class ShapeTable {
 public:
  // `key` holds everything that `make` looks at. `make` runs only when no pod has that shape now.
  ShapePtr find(std::string key, const std::function<PodShape()>& make);
  size_t size() const { return shapes_.size(); }

 private:
  static constexpr size_t kFirstSweep = 256;

  void sweep();

  std::map<std::string, std::weak_ptr<const PodShape>> shapes_;
  size_t sweep_at_ = kFirstSweep;
  uint64_t last_id_ = 0;
};

}  // namespace windlass::scheduler
