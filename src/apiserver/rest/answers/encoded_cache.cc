#include "apiserver/rest/answers/encoded_cache.h"

namespace windlass::apiserver {

size_t EncodedCache::slot_of(const EncodedKey& key) {
  return (key.revision * 7 + key.variant) % kSlots;
}

http::Chunk EncodedCache::find(const EncodedKey& key) const {
  const std::lock_guard lock(mutex_);
  const Slot& slot = slots_[slot_of(key)];
  return slot.key == key ? slot.chunk : nullptr;
}

void EncodedCache::insert(const EncodedKey& key, http::Chunk chunk) {
  if (chunk->size() > kMaxBytes) {
    return;
  }
  const std::lock_guard lock(mutex_);
  slots_[slot_of(key)] = {key, std::move(chunk)};
}

}  // namespace windlass::apiserver
