#include "engine/state/index_pods.h"

#include <chrono>
#include <tuple>

#include "engine/state/index_counts.h"

namespace windlass::engine {
namespace {

// Nothing is about to take it away.
bool stays(const PodRecord& record, const Facts& facts) {
  const bool active = record.is_active() && !record.dropped && !record.condemned &&
                      !record.duplicate && !facts.suspend_asked;
  return record.has_finalizer && record.accounted == Accounted::no && (active || record.held) &&
         has_valid_index(record, facts);
}

}  // namespace

bool hold_last_failed(PodTable& pods, Slot head, bool open, const Facts& facts) {
  const auto weight = [](const PodRecord& record) {
    const int64_t count = int64_t{record.failures} + record.ignored_failures;
    return std::tuple(count, std::chrono::floor<seconds>(record.stamp), record.uid);
  };
  Slot best = kNoSlot;
  Slot before = kNoSlot;
  bool moved = false;
  for (Slot slot = head; slot != kNoSlot; slot = pods.at(slot).next) {
    PodRecord& record = pods.at(slot);
    before = record.held ? slot : before;
    const bool candidate = open && record.has_finalizer && record.accounted == Accounted::no &&
                           !record.batched && counts_as_failed(record, facts);
    if (candidate && (best == kNoSlot || weight(pods.at(best)) < weight(record))) {
      best = slot;
    }
    moved = moved || record.moved;
    record.held = record.moved = false;
  }
  if (best != kNoSlot) {
    pods.at(best).held = true;
  }
  return best != before || moved;
}

Slot held_pod(const PodTable& pods, int32_t index) {
  for (Slot slot = pods.head(index); slot != kNoSlot; slot = pods.at(slot).next) {
    if (pods.at(slot).held) {
      return slot;
    }
  }
  return kNoSlot;
}

void mark_duplicates(PodTable& pods, Slot head, int32_t active) {
  Slot keep = kNoSlot;
  for (Slot slot = head; slot != kNoSlot; slot = pods.at(slot).next) {
    PodRecord& record = pods.at(slot);
    record.duplicate = record.is_active() && active > 1;
    const bool doomed = record.dropped || record.condemned;
    if (record.duplicate && !doomed && (keep == kNoSlot || remove_before(pods.at(keep), record))) {
      keep = slot;
    }
  }
  if (keep != kNoSlot) {
    pods.at(keep).duplicate = false;
  }
}

bool has_carrier(const PodTable& pods, int32_t index, IndexFailures failures, const Facts& facts) {
  for (Slot slot = pods.head(index); slot != kNoSlot; slot = pods.at(slot).next) {
    const PodRecord& pod = pods.at(slot);
    if (stays(pod, facts) && covers(carried(pod, facts), failures)) {
      return true;
    }
  }
  return false;
}

}  // namespace windlass::engine
