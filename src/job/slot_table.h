// Finds pod slots by a hash: open addressing with Robin Hood order, 5 bytes for a place. Keys stay
// in the records; a distance from home in one byte tells places of other homes apart, so a look-up
// touches about one record. Owned by PodTable, which knows the hashes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace windlass::job {

using Slot = uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

class SlotTable {
 public:
  // `matches(slot)`: is it the one looked for?
  template <class Matches>
  Slot find(size_t hash, Matches matches) const {
    const size_t place = locate(hash, matches);
    return place == kNowhere ? kNoSlot : slots_[place];
  }

  // The key must be absent. `hash_of(slot)` is asked when the table grows.
  template <class HashOf>
  void insert(size_t hash, Slot slot, HashOf hash_of) {
    if ((used_ + 1) * 8 > slots_.size() * 7) {
      grow(hash_of);
    }
    put(hash, slot);
    ++used_;
  }

  // The slot must be there.
  void replace(size_t hash, Slot from, Slot to) {
    slots_[locate(hash, [from](Slot slot) { return slot == from; })] = to;
  }

  // The slot must be there. `hash_of` is asked for neighbours that are very far from home.
  template <class HashOf>
  void erase(size_t hash, Slot gone, HashOf hash_of) {
    size_t hole = locate(hash, [gone](Slot slot) { return slot == gone; });
    for (size_t next = after(hole); distance_[next] > 1; next = after(next)) {
      slots_[hole] = slots_[next];
      distance_[hole] = distance_[next] < kFar
                            ? static_cast<uint8_t>(distance_[next] - 1)
                            : clip(((hole - hash_of(slots_[next])) & mask()) + 1);
      hole = next;
    }
    slots_[hole] = kNoSlot;
    distance_[hole] = 0;
    --used_;
  }

  size_t bytes() const { return slots_.capacity() * sizeof(Slot) + distance_.capacity(); }

 private:
  static constexpr size_t kFirstPlaces = 16;
  static constexpr size_t kNowhere = ~size_t{0};
  static constexpr uint8_t kFar = 255;  // this far from home, or farther

  static uint8_t clip(size_t steps) { return static_cast<uint8_t>(std::min<size_t>(steps, kFar)); }
  size_t mask() const { return slots_.size() - 1; }
  size_t after(size_t place) const { return (place + 1) & mask(); }

  template <class Matches>
  size_t locate(size_t hash, Matches matches) const {
    if (slots_.empty()) {
      return kNowhere;
    }
    size_t place = hash & mask();
    for (size_t steps = 1; distance_[place] >= clip(steps); ++steps, place = after(place)) {
      if (distance_[place] == clip(steps) && matches(slots_[place])) {
        return place;
      }
    }
    return kNowhere;
  }

  // Whoever is nearer to its home makes room.
  void put(size_t hash, Slot slot) {
    size_t place = hash & mask();
    for (size_t steps = 1; slot != kNoSlot; ++steps, place = after(place)) {
      const uint8_t here = distance_[place];
      if (here < clip(steps)) {
        std::swap(slot, slots_[place]);
        distance_[place] = clip(steps);
        steps = here;
      }
    }
  }

  template <class HashOf>
  void grow(HashOf hash_of) {
    std::vector<Slot> old(std::max(kFirstPlaces, slots_.size() * 2), kNoSlot);
    old.swap(slots_);
    distance_.assign(slots_.size(), 0);
    for (const Slot slot : old) {
      if (slot != kNoSlot) {
        put(hash_of(slot), slot);
      }
    }
  }

  std::vector<Slot> slots_;        // size is a power of two
  std::vector<uint8_t> distance_;  // steps from home, from 1; 0: free
  size_t used_ = 0;
};

}  // namespace windlass::job
