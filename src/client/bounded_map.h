// A map that holds at most so many entries: the one that was used longest ago makes room. One
// thread.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "base/check.h"

namespace windlass::client {

template <class Value>
class BoundedMap {
 public:
  explicit BoundedMap(size_t capacity) : capacity_(capacity) {
    CHECK(capacity > 0, "there is room for something");
  }

  // nullptr when it is not there. Counts as use.
  Value* find(const std::string& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) {
      return nullptr;
    }
    entries_.splice(entries_.end(), entries_, found->second);
    return &found->second->second;
  }

  // The entry of this key, made if need be. Valid until the next call.
  Value& operator[](const std::string& key) {
    if (Value* found = find(key)) {
      return *found;
    }
    if (entries_.size() == capacity_) {
      index_.erase(entries_.front().first);
      entries_.pop_front();
    }
    entries_.emplace_back(key, Value());
    index_.emplace(key, std::prev(entries_.end()));
    return entries_.back().second;
  }

  size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, Value>>;  // used longest ago first

  size_t capacity_;
  Entries entries_;
  std::map<std::string, typename Entries::iterator> index_;
};

}  // namespace windlass::client
