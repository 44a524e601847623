#include "job/pod_table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "job/pod_factory.h"

namespace windlass::job {
namespace {

constexpr size_t kFirstPlaces = 16;

// Random UUID bits need little mixing; numbered odd UIDs and indexes need more.
size_t mix(uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  return static_cast<size_t>(value);
}

size_t hash(Uid uid) {
  return mix(uid.high ^ uid.low);
}
size_t hash(int32_t index) {
  return mix(static_cast<uint64_t>(index) + 1);
}

bool too_full(size_t used, size_t places) {
  return (used + 1) * 4 > places * 3;
}

// Where the entry at `place` is, relative to where it would like to be.
bool may_move(size_t home, size_t hole, size_t place, size_t mask) {
  return ((place - home) & mask) >= ((place - hole) & mask);
}

}  // namespace

size_t PodTable::uid_place(Uid uid) const {
  const size_t mask = uids_.size() - 1;
  size_t place = hash(uid) & mask;
  while (uids_[place] != kNoSlot && at(uids_[place]).uid != uid) {
    place = (place + 1) & mask;
  }
  return place;
}

Slot PodTable::find(Uid uid) const {
  return uids_.empty() ? kNoSlot : uids_[uid_place(uid)];
}

void PodTable::grow_uids() {
  std::vector<Slot> old(std::max(kFirstPlaces, uids_.size() * 2), kNoSlot);
  old.swap(uids_);
  for (const Slot slot : old) {
    if (slot != kNoSlot) {
      uids_[uid_place(at(slot).uid)] = slot;
    }
  }
}

Slot PodTable::insert(Uid uid) {
  if (uids_.empty() || too_full(size_, uids_.size())) {
    grow_uids();
  }
  Slot slot = end_;
  if (!free_.empty()) {
    slot = free_.back();
    free_.pop_back();
  } else {
    CHECK(end_ != kNoSlot, "more pods than slots");
    if (end_ % kChunk == 0) {
      chunks_.emplace_back().emplace();
    }
    ++end_;
  }
  PodRecord& record = at(slot);
  record = PodRecord();
  record.uid = uid;
  record.in_use = true;
  uids_[uid_place(uid)] = slot;
  ++size_;
  return slot;
}

void PodTable::erase(Slot slot) {
  const size_t mask = uids_.size() - 1;
  size_t hole = uid_place(at(slot).uid);
  CHECK(uids_[hole] == slot, "a pod is in the table once");
  for (size_t place = (hole + 1) & mask; uids_[place] != kNoSlot; place = (place + 1) & mask) {
    if (may_move(hash(at(uids_[place]).uid) & mask, hole, place, mask)) {
      uids_[hole] = uids_[place];
      hole = place;
    }
  }
  uids_[hole] = kNoSlot;
  at(slot) = PodRecord();
  odd_names_.erase(slot);
  free_.push_back(slot);
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
      odd_names_.erase(slot);
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
  return generated + std::string(record.suffix.begin(), record.suffix.end());
}

size_t PodTable::entry_place(int32_t index) const {
  const size_t mask = entries_.size() - 1;
  size_t place = hash(index) & mask;
  while (entries_[place].index != -1 && entries_[place].index != index) {
    place = (place + 1) & mask;
  }
  return place;
}

IndexEntry* PodTable::entry(int32_t index) {
  return const_cast<IndexEntry*>(std::as_const(*this).entry(index));
}

const IndexEntry* PodTable::entry(int32_t index) const {
  if (entries_.empty() || index < 0) {
    return nullptr;
  }
  const IndexEntry& found = entries_[entry_place(index)];
  return found.index == index ? &found : nullptr;
}

void PodTable::grow_entries() {
  std::vector<IndexEntry> old(std::max(kFirstPlaces, entries_.size() * 2));
  old.swap(entries_);
  for (const IndexEntry& entry : old) {
    if (entry.index != -1) {
      entries_[entry_place(entry.index)] = entry;
    }
  }
}

void PodTable::link(Slot slot) {
  PodRecord& record = at(slot);
  CHECK(record.index >= 0, "only pods with an index are chained");
  if (entries_.empty() || too_full(entry_count_, entries_.size())) {
    grow_entries();
  }
  IndexEntry& entry = entries_[entry_place(record.index)];
  if (entry.index == -1) {
    entry = IndexEntry();
    entry.index = record.index;
    ++entry_count_;
  }
  record.previous = kNoSlot;
  record.next = entry.head;
  if (entry.head != kNoSlot) {
    at(entry.head).previous = slot;
  }
  entry.head = slot;
}

void PodTable::unlink(Slot slot) {
  PodRecord& record = at(slot);
  const size_t place = entry_place(record.index);
  IndexEntry& entry = entries_[place];
  CHECK(entry.index == record.index, "a chained pod has an entry");
  if (record.previous != kNoSlot) {
    at(record.previous).next = record.next;
  } else {
    entry.head = record.next;
  }
  if (record.next != kNoSlot) {
    at(record.next).previous = record.previous;
  }
  record.next = kNoSlot;
  record.previous = kNoSlot;
  if (entry.head == kNoSlot) {
    remove_entry(place);
  }
}

void PodTable::remove_entry(size_t hole) {
  const size_t mask = entries_.size() - 1;
  for (size_t place = (hole + 1) & mask; entries_[place].index != -1; place = (place + 1) & mask) {
    if (may_move(hash(entries_[place].index) & mask, hole, place, mask)) {
      entries_[hole] = entries_[place];
      hole = place;
    }
  }
  entries_[hole] = IndexEntry();
  --entry_count_;
}

size_t PodTable::bytes() const {
  return chunks_.size() * sizeof(std::array<PodRecord, kChunk>) +
         chunks_.capacity() * sizeof(void*) + free_.capacity() * sizeof(Slot) +
         uids_.capacity() * sizeof(Slot) + entries_.capacity() * sizeof(IndexEntry);
}

}  // namespace windlass::job
