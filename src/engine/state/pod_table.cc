#include "engine/state/pod_table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/pods/pod_factory.h"

namespace windlass::engine {
namespace {

// Random UUID bits need little mixing; numbered odd UIDs and indexes need more.
size_t mix(uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  return static_cast<size_t>(value);
}

size_t hash(Uid uid) {
  return mix(mix(uid.high) ^ uid.low);
}
// Indexes start in their order: eight neighbours share a line of the table.
size_t hash(int32_t index) {
  const auto value = static_cast<uint64_t>(index);
  return mix(value / 8 + 1) << 3 | (value % 8);
}

}  // namespace

Slot PodTable::find(Uid uid) const {
  return uids_.find(hash(uid), [&](Slot slot) { return at(slot).uid == uid; });
}

Slot PodTable::insert(Uid uid) {
  Slot slot = free_;
  if (slot != kNoSlot) {
    free_ = at(slot).next;
  } else {
    CHECK(end_ != kNoSlot, "more pods than slots");
    if (end_ % kChunk == 0) {
      chunks_.emplace_back().emplace();
    }
    slot = end_++;
  }
  PodRecord& record = at(slot);
  record = PodRecord();
  record.uid = uid;
  record.in_use = true;
  uids_.insert(hash(uid), slot);
  ++size_;
  return slot;
}

void PodTable::erase(Slot slot) {
  uids_.erase(hash(at(slot).uid), slot);
  if (at(slot).suffix[0] == '\0') {
    odd_names_.erase(slot);
  }
  at(slot) = PodRecord();
  at(slot).next = free_;
  free_ = slot;
  --size_;
}

void PodTable::set_name(Slot slot, std::string_view name) {
  PodRecord& record = at(slot);
  const size_t tail = record.suffix.size();
  if (name.size() > tail) {
    const std::string_view prefix = name.substr(0, name.size() - tail);
    std::string generated = generate_name(job_name_, record.index);
    generated.resize(std::min(generated.size(), kMaxGenerateName));
    if (prefix == generated && name[prefix.size()] != '\0') {
      std::copy(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                record.suffix.begin());
      return;
    }
  }
  record.suffix.fill('\0');
  odd_names_[slot] = std::string(name);
}

std::string PodTable::name(Slot slot) const {
  const PodRecord& record = at(slot);
  if (record.suffix[0] == '\0') {
    const auto found = odd_names_.find(slot);
    return found == odd_names_.end() ? std::string() : found->second;
  }
  std::string generated = generate_name(job_name_, record.index);
  generated.resize(std::min(generated.size(), kMaxGenerateName));
  return generated.append(record.suffix.data(), record.suffix.size());
}

Slot PodTable::head(int32_t index) const {
  return heads_.find(hash(index), [&](Slot slot) { return at(slot).index == index; });
}

Slot PodTable::head_of(Slot slot) const {
  while (at(slot).previous != kNoSlot) {
    slot = at(slot).previous;
  }
  return slot;
}

void PodTable::link(Slot slot) {
  PodRecord& record = at(slot);
  CHECK(record.index >= 0, "only pods with an index are chained");
  const Slot second = head(record.index);
  record.next = second;
  if (second == kNoSlot) {
    heads_.insert(hash(record.index), slot);
  } else {
    at(second).previous = slot;
    heads_.replace(hash(record.index), second, slot);
  }
}

void PodTable::unlink(Slot slot) {
  PodRecord& record = at(slot);
  if (record.next != kNoSlot) {
    at(record.next).previous = record.previous;
  }
  if (record.previous != kNoSlot) {
    at(record.previous).next = record.next;
  } else if (record.next != kNoSlot) {
    heads_.replace(hash(record.index), slot, record.next);
  } else {
    heads_.erase(hash(record.index), slot);
  }
  record.next = kNoSlot;
  record.previous = kNoSlot;
}

void PodTable::push_back(SlotQueue& queue, Slot slot) {
  PodRecord& record = at(slot);
  record.queue_previous = queue.last_;
  record.queue_next = kNoSlot;
  (queue.last_ == kNoSlot ? queue.first_ : at(queue.last_).queue_next) = slot;
  queue.last_ = slot;
}

void PodTable::remove(SlotQueue& queue, Slot slot) {
  PodRecord& record = at(slot);
  (record.queue_previous == kNoSlot ? queue.first_ : at(record.queue_previous).queue_next) =
      record.queue_next;
  (record.queue_next == kNoSlot ? queue.last_ : at(record.queue_next).queue_previous) =
      record.queue_previous;
  record.queue_next = kNoSlot;
  record.queue_previous = kNoSlot;
}

size_t PodTable::bytes() const {
  return chunks_.size() * sizeof(std::array<PodRecord, kChunk>) +
         chunks_.capacity() * sizeof(chunks_[0]) + uids_.bytes() + heads_.bytes();
}

}  // namespace windlass::engine
