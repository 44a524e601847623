// The pods of one index together: which of them is kept for its successor, which are too many, and
// whether one that stays carries the failures of the index on (KEP-3850, "Tracking the number of
// failures per index"). Functions on the pod table; one thread.
#pragma once

#include "engine/state/facts.h"
#include "engine/state/pod_record.h"
#include "engine/state/pod_table.h"

namespace windlass::engine {

// The finalizer of the last failed pod of an index stays until a replacement carries its failure
// count on, the index ends, or the Job does (5.21). `open`: the index may get another pod. Whether
// another pod is held than before, or the same one was seen to end at another time.
bool hold_last_failed(PodTable& pods, Slot head, bool open, const Facts& facts);
// The pod that is held, or kNoSlot.
Slot held_pod(const PodTable& pods, int32_t index);

// 3.7: of several active pods of one index only the one that would be removed last stays.
void mark_duplicates(PodTable& pods, Slot head, int32_t active);

// Whether some pod of the index that nothing is about to take away carries these failures.
bool has_carrier(const PodTable& pods, int32_t index, IndexFailures failures, const Facts& facts);

}  // namespace windlass::engine
