// How much of the server's limits each holder has: a user, or an address. No holder takes the
// shares of others. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "http/target.h"

namespace windlass::net {

// What a holder has a share of: requests being answered, by their class, connections, and memory
// for request bodies.
inline constexpr size_t kConnectionShare = http::kRequestClasses;
inline constexpr size_t kBodyShare = http::kRequestClasses + 1;
inline constexpr size_t kShares = http::kRequestClasses + 2;

class ShareTable {
 public:
  // False, and nothing taken, when the holder would have more than `most`.
  bool try_add(const std::string& holder, size_t share, size_t amount, size_t most) {
    const std::lock_guard lock(mutex_);
    size_t& held = held_[holder][share];
    if (held + amount > most) {
      drop_if_empty(holder);
      return false;
    }
    held += amount;
    return true;
  }
  void remove(const std::string& holder, size_t share, size_t amount) {
    const std::lock_guard lock(mutex_);
    held_.at(holder)[share] -= amount;
    drop_if_empty(holder);
  }

 private:
  using Held = std::array<size_t, kShares>;

  void drop_if_empty(const std::string& holder) {
    if (const auto found = held_.find(holder); found->second == Held{}) {
      held_.erase(found);
    }
  }

  std::mutex mutex_;
  std::map<std::string, Held> held_;  // holders of something
};

// A part of one holder's share, given back at its end. The table outlives it. One thread.
class ShareHold {
 public:
  ShareHold() = default;
  ShareHold(ShareTable& table, std::string holder, size_t share)
      : table_(&table), holder_(std::move(holder)), share_(share) {}
  ShareHold(ShareHold&& other) noexcept { *this = std::move(other); }
  ShareHold& operator=(ShareHold&& other) noexcept {
    if (this != &other) {
      shrink_to(0);
      table_ = std::exchange(other.table_, nullptr);
      holder_ = std::move(other.holder_);
      share_ = other.share_;
      amount_ = std::exchange(other.amount_, 0);
    }
    return *this;
  }
  ~ShareHold() { shrink_to(0); }

  // Without a table there is no limit, and nothing is counted.
  bool grow(size_t by, size_t most) {
    if (table_ == nullptr) {
      return true;
    }
    if (!table_->try_add(holder_, share_, by, most)) {
      return false;
    }
    amount_ += by;
    return true;
  }
  void shrink_to(size_t amount) {
    if (amount < amount_) {
      table_->remove(holder_, share_, amount_ - amount);
      amount_ = amount;
    }
  }
  size_t amount() const { return amount_; }

 private:
  ShareTable* table_ = nullptr;
  std::string holder_;
  size_t share_ = 0;
  size_t amount_ = 0;
};

}  // namespace windlass::net
