// Encoded answers of stored versions that were asked for lately. A version never changes and its
// revision is unique, so its text is right for ever: a watch event is encoded once for all its
// watchers, and an object that is read again and again is encoded once, too. Bounded by a fixed
// number of slots; a newer entry takes the place of an older one. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "api/kind.h"
#include "apiserver/rest/answers/format.h"
#include "http/message.h"
#include "store/version.h"

namespace windlass::apiserver {

struct EncodedKey {
  store::Revision revision = 0;
  const api::Kind* kind = nullptr;  // one version may be seen as more than one kind (Event)
  uint32_t variant = 0;             // encoding, and the type of the event it is part of

  bool operator==(const EncodedKey&) const = default;
};

// `event` is 0 for an object by itself, else which type of event it is part of.
constexpr uint32_t encoded_variant(Encoding encoding, uint32_t event = 0) {
  return static_cast<uint32_t>(encoding) * 8 + event;
}

class EncodedCache {
 public:
  static constexpr size_t kSlots = 512;
  static constexpr size_t kMaxBytes = 32U << 10;  // of one entry

  // nullptr when it is not there.
  http::Chunk find(const EncodedKey& key) const;
  void insert(const EncodedKey& key, http::Chunk chunk);

 private:
  struct Slot {
    EncodedKey key;
    http::Chunk chunk;
  };
  static size_t slot_of(const EncodedKey& key);

  mutable std::mutex mutex_;
  std::array<Slot, kSlots> slots_;
};

// Events that went to a watcher in one piece, kept for the others who are about to get the same.
// Watchers that are woken together take the same steps, so a few pieces are enough. Core executor
// only.
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
