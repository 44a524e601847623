// Events that went to a watcher in one piece, kept for the others who are about to get the same.
// Watchers that are woken together take the same steps, so a few pieces are enough. Core executor
// only.
#pragma once

#include <array>
#include <cstddef>

#include "api/kind.h"
#include "apiserver/rest/answers/format.h"
#include "http/message.h"
#include "store/version.h"

namespace windlass::apiserver {

class WatchBatches {
 public:
  struct Key {
    store::Revision first = 0;
    store::Revision last = 0;
    size_t count = 0;
    const api::Kind* kind = nullptr;
    Encoding encoding = Encoding::json;

    bool operator==(const Key&) const = default;
  };

  // nullptr when it is not there.
  http::Chunk find(const Key& key) const {
    for (const Slot& slot : slots_) {
      if (slot.key == key) {
        return slot.chunk;
      }
    }
    return nullptr;
  }

  void insert(const Key& key, http::Chunk chunk) {
    slots_[next_] = {key, std::move(chunk)};
    next_ = (next_ + 1) % kSlots;
  }

 private:
  static constexpr size_t kSlots = 8;
  struct Slot {
    Key key;
    http::Chunk chunk;
  };

  std::array<Slot, kSlots> slots_;
  size_t next_ = 0;
};

}  // namespace windlass::apiserver
