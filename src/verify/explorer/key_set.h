// A set of 64-bit keys at 8 bytes a place: open addressing, grows by doubling. 0 is kept apart.
// Two different states may share a key: with n keys the chance is about n*n / 2^65, three in a
// million for ten million.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace windlass::verify::explorer {

class KeySet {
 public:
  bool contains(uint64_t key) const {
    return key == 0 ? has_zero_ : !places_.empty() && places_[place(key)] == key;
  }
  // Whether it was new.
  bool insert(uint64_t key) {
    if (key == 0) {
      const bool fresh = !has_zero_;
      has_zero_ = true;
      return fresh;
    }
    if ((size_ + 1) * 3 > places_.size() * 2) {
      grow();
    }
    uint64_t& found = places_[place(key)];
    if (found == key) {
      return false;
    }
    found = key;
    ++size_;
    return true;
  }
  size_t size() const { return size_ + (has_zero_ ? 1 : 0); }

 private:
  size_t place(uint64_t key) const {
    const size_t mask = places_.size() - 1;
    size_t at = static_cast<size_t>(key) & mask;
    while (places_[at] != 0 && places_[at] != key) {
      at = (at + 1) & mask;
    }
    return at;
  }
  void grow() {
    std::vector<uint64_t> old(places_.empty() ? 1024 : places_.size() * 2, 0);
    old.swap(places_);
    for (const uint64_t key : old) {
      if (key != 0) {
        places_[place(key)] = key;
      }
    }
  }

  std::vector<uint64_t> places_;
  size_t size_ = 0;
  bool has_zero_ = false;
};

}  // namespace windlass::verify::explorer
