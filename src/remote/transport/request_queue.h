// Requests that wait for a connection. What was begun goes before what is new: creates take turns
// by whom they are for, so that an owner of many objects does not hold up one of few, and get one
// turn in kCreateTurn while others wait. Holds what the transport lets in. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace windlass::remote {

class RequestQueue {
 public:
  static constexpr uint64_t kCreateTurn = 4;

  // `create_for` is "" for what is no create.
  void push(uint64_t id, const std::string& create_for);
  // Before everything else.
  void push_front(uint64_t id) { begun_.push_front(id); }

  bool empty() const { return begun_.empty() && turns_.empty(); }
  size_t size() const { return begun_.size() + creates_size_; }
  // Of a queue that is not empty.
  uint64_t front() const;
  void pop();
  // All of it, in order.
  std::vector<uint64_t> take_all();

 private:
  bool is_turn_of_creates() const;

  std::deque<uint64_t> begun_;
  std::map<std::string, std::deque<uint64_t>> creates_;  // by whom they are for; none is empty
  std::deque<std::string> turns_;                        // the keys of creates_, the next one first
  size_t creates_size_ = 0;
  uint64_t turn_ = 0;
};

}  // namespace windlass::remote
