#include "engine/writes_in_flight.h"

#include <utility>

#include "base/check.h"

namespace windlass::engine {

uint32_t WritesInFlight::add_create(int64_t index) {
  const auto id = static_cast<uint32_t>(first_create_ + creates_.size());
  creates_.push_back(index);
  ++unanswered_creates_;
  return id;
}

bool WritesInFlight::answer_create(uint32_t id) {
  const size_t at = id - first_create_;
  CHECK(at < creates_.size() && creates_[at] != kAnswered,
        "an answer belongs to a write under way");
  creates_[at] = kAnswered;
  if (--unanswered_creates_ > 0) {
    return false;
  }
  first_create_ += static_cast<uint32_t>(creates_.size());
  creates_.clear();
  gone_.clear();
  return true;
}

void WritesInFlight::note_gone(std::string_view uid) {
  if (!creates_.empty()) {
    gone_.emplace(uid);
  }
}

void WritesInFlight::add_change(const PodWrite& write, Uid uid, Slot slot) {
  changes_[write.uid] = {write.op, uid, slot, write.op == PodOp::delete_pod ? write.name : ""};
}

WritesInFlight::PodChange WritesInFlight::answer_change(std::string_view uid) {
  const auto found = changes_.find(uid);
  CHECK(found != changes_.end(), "an answer belongs to a write under way");
  PodChange change = std::move(found->second);
  changes_.erase(found);
  return change;
}

}  // namespace windlass::engine
