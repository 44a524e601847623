#include "remote/transport/request_queue.h"

#include <utility>

#include "base/check.h"

namespace windlass::remote {

void RequestQueue::push(uint64_t id, const std::string& create_for) {
  if (create_for.empty()) {
    begun_.push_back(id);
    return;
  }
  std::deque<uint64_t>& own = creates_[create_for];
  if (own.empty()) {
    turns_.push_back(create_for);
  }
  own.push_back(id);
  ++creates_size_;
}

bool RequestQueue::is_turn_of_creates() const {
  return !turns_.empty() && (begun_.empty() || turn_ % kCreateTurn == kCreateTurn - 1);
}

uint64_t RequestQueue::front() const {
  CHECK(!empty(), "a request waits");
  return is_turn_of_creates() ? creates_.at(turns_.front()).front() : begun_.front();
}

void RequestQueue::pop() {
  CHECK(!empty(), "a request waits");
  const bool create = is_turn_of_creates();
  ++turn_;
  if (!create) {
    begun_.pop_front();
    return;
  }
  std::string owner = std::move(turns_.front());
  turns_.pop_front();
  const auto own = creates_.find(owner);
  own->second.pop_front();
  --creates_size_;
  if (own->second.empty()) {
    creates_.erase(own);
  } else {
    turns_.push_back(std::move(owner));
  }
}

std::vector<uint64_t> RequestQueue::take_all() {
  std::vector<uint64_t> all;
  for (; !empty(); pop()) {
    all.push_back(front());
  }
  return all;
}

}  // namespace windlass::remote
