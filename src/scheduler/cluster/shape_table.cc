#include "scheduler/cluster/shape_table.h"

#include <algorithm>
#include <utility>

namespace windlass::scheduler {

ShapePtr ShapeTable::find(std::string key, const std::function<PodShape()>& make) {
  if (const auto found = shapes_.find(key); found != shapes_.end()) {
    if (ShapePtr shape = found->second.lock()) {
      return shape;
    }
  }
  if (shapes_.size() >= sweep_at_) {
    sweep();
  }
  auto shape = std::make_shared<PodShape>(make());
  shape->id = ++last_id_;
  shapes_[std::move(key)] = shape;
  return shape;
}

void ShapeTable::sweep() {
  std::erase_if(shapes_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = std::max(kFirstSweep, 2 * shapes_.size());
}

}  // namespace windlass::scheduler
