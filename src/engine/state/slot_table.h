// Finds pod slots by a hash: open addressing with Robin Hood order, 8 bytes for a place. Keys stay
// in the records; half of the hash stands in the place, so a look-up touches one record, and
// growing none. Owned by PodTable, which knows the hashes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace windlass::engine {

using Slot = uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

class SlotTable {
 public:
  // `matches(slot)`: is it the one looked for?
  template <class Matches>
  Slot find(size_t hash, Matches matches) const {
    const size_t at = locate(hash, matches);
    return at == kNowhere ? kNoSlot : places_[at].slot;
  }

  // The key must be absent.
  void insert(size_t hash, Slot slot) {
    if ((used_ + 1) * 8 > places_.size() * 7) {
      grow();
    }
    put({static_cast<uint32_t>(hash), slot});
    ++used_;
  }

  // The slot must be there.
  void replace(size_t hash, Slot from, Slot to) {
    places_[locate(hash, [from](Slot slot) { return slot == from; })].slot = to;
  }

  // The slot must be there.
  void erase(size_t hash, Slot gone) {
    size_t hole = locate(hash, [gone](Slot slot) { return slot == gone; });
    for (size_t next = after(hole); places_[next].slot != kNoSlot && distance(next) > 0;
         next = after(next)) {
      places_[hole] = places_[next];
      hole = next;
    }
    places_[hole] = Place();
    --used_;
  }

  size_t bytes() const { return places_.capacity() * sizeof(Place); }

 private:
  static constexpr size_t kFirstPlaces = 16;
  static constexpr size_t kNowhere = ~size_t{0};

  struct Place {
    uint32_t hash = 0;  // its low half
    Slot slot = kNoSlot;
  };

  size_t mask() const { return places_.size() - 1; }
  size_t after(size_t at) const { return (at + 1) & mask(); }
  // How far from its home the slot in this place is.
  size_t distance(size_t at) const { return (at - places_[at].hash) & mask(); }

  template <class Matches>
  size_t locate(size_t hash, Matches matches) const {
    if (places_.empty()) {
      return kNowhere;
    }
    const auto half = static_cast<uint32_t>(hash);
    size_t at = half & mask();
    for (size_t steps = 0; places_[at].slot != kNoSlot && distance(at) >= steps; ++steps) {
      if (places_[at].hash == half && matches(places_[at].slot)) {
        return at;
      }
      at = after(at);
    }
    return kNowhere;
  }

  // The entry that is nearer to its home makes room.
  void put(Place place) {
    size_t at = place.hash & mask();
    for (size_t steps = 0; places_[at].slot != kNoSlot; ++steps, at = after(at)) {
      if (distance(at) < steps) {
        steps = distance(at);
        std::swap(place, places_[at]);
      }
    }
    places_[at] = place;
  }

  void grow() {
    std::vector<Place> old(std::max(kFirstPlaces, places_.size() * 2));
    old.swap(places_);
    for (const Place& place : old) {
      if (place.slot != kNoSlot) {
        put(place);
      }
    }
  }

  std::vector<Place> places_;  // size is a power of two, at most 2^32
  size_t used_ = 0;
};

}  // namespace windlass::engine
