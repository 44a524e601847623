#include "engine/state/step_queues.h"

namespace windlass::engine {

void StepQueues::place(PodTable& pods, Slot slot, Todo todo) {
  PodRecord& record = pods.at(slot);
  if (todo != record.todo) {
    take_out(pods, slot);
    record.todo = todo;
  }
  if (todo != Todo::nothing && !record.queued) {
    record.queued = true;
    pods.push_back(queues_[place_of(todo)], slot);
  }
}

void StepQueues::take_out(PodTable& pods, Slot slot) {
  PodRecord& record = pods.at(slot);
  if (record.queued) {
    pods.remove(queues_[place_of(record.todo)], slot);
    record.queued = false;
  }
}

}  // namespace windlass::engine
