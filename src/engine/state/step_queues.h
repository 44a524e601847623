// The pods that wait for each step, in the order in which they came to need it. Links run through
// the records of the pod table. Owned by State; one thread.
#pragma once

#include <array>

#include "engine/state/pod_table.h"

namespace windlass::engine {

class StepQueues {
 public:
  // The pod needs this next: it leaves another queue, and joins this one at its end.
  void place(PodTable& pods, Slot slot, Todo todo);
  // Out of the queue in which it stands, if it stands in one.
  void take_out(PodTable& pods, Slot slot);
  Slot front(Todo todo) const { return queues_[place_of(todo)].front(); }

 private:
  friend class Fingerprint;
  static size_t place_of(Todo todo) { return static_cast<size_t>(todo) - 1; }  // no queue: nothing

  std::array<SlotQueue, 4> queues_;
};

}  // namespace windlass::engine
