// The pods of one Job, compactly: 96 bytes each, 9 to 19 for finding it by UID and as many by
// index. Owns the records; knows nothing of counting or deciding. A slot number stays valid until
// its pod is erased.
//
// Pods of one completion index are chained, for Indexed Jobs only; a chain's first pod is its head.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/state/boxed.h"
#include "engine/state/slot_table.h"
#include "engine/state/uid.h"
#include "engine/types.h"

namespace windlass::engine {

// Whether a finished pod is already accounted for in the stored status.
enum class Accounted : uint8_t { no, succeeded, failed, ignored };
// What the engine has to do about a pod next.
enum class Todo : uint8_t {
  nothing,
  account,
  release,
  remove,
  record,  // released or removed once the failures that it carries for its index are stored
};

struct PodRecord {
  Uid uid;
  uint64_t rv = 0;
  Time created;
  // When it finished, at the latest, in the second that the API tells (base/whole_second.h); for an
  // active pod, when it became ready.
  Time stamp;
  int32_t index = -1;
  int32_t failures = 0;          // annotation: counted failures before this pod
  int32_t ignored_failures = 0;  // annotation: ignored failures before this pod
  int32_t restarts = 0;          // sum over containers, saturated
  uint16_t max_restarts = 0;     // of regular containers, saturated
  uint16_t max_sidecar_restarts = 0;
  Slot next = kNoSlot;  // chain of the same index; of a free slot, the next free one
  Slot previous = kNoSlot;
  Slot queue_next = kNoSlot;
  Slot queue_previous = kNoSlot;
  std::array<char, 5> suffix{};  // last characters of a generated name; "\0..." for other names
  Phase phase = Phase::pending;
  Action action = Action::none;
  Accounted accounted = Accounted::no;
  Todo todo = Todo::nothing;
  int8_t rule = -1;  // of the failure policy, which this pod's end matches
  bool in_use : 1 = false;
  bool ready : 1 = false;
  bool has_node : 1 = false;
  bool has_finalizer : 1 = false;
  bool deleting : 1 = false;
  bool dropped : 1 = false;
  bool condemned : 1 = false;  // chosen for removal by scaling
  bool duplicate : 1 = false;  // another active pod of its index is to stay instead
  bool held : 1 = false;       // kept for its index until it is replaced (5.21)
  bool moved : 1 = false;      // while held, it was seen to end at another time than before
  bool batched : 1 = false;    // in the status write under way
  bool queued : 1 = false;     // in the queue that `todo` names
  bool in_flight : 1 = false;  // a write of it is under way
  bool listed : 1 = false;     // seen by the listing under way
  bool let_go : 1 = false;     // its release was sent, and may have been carried out
  bool released : 1 = false;   // finalizer taken away by us, whatever stale news says
  bool marked : 1 = false;     // dropped by us, likewise
  bool deleted : 1 = false;    // deleted by us, likewise
  bool handled : 1 = false;    // let go as an ignored failure, which is in the metric

  bool is_active() const { return !is_terminal(phase) && !deleting; }
  bool is_terminating() const { return !is_terminal(phase) && deleting; }
};

static_assert(sizeof(PodRecord) == 96);

// Pods in the order they came, linked through their records.
class SlotQueue {
 public:
  Slot front() const { return first_; }

 private:
  friend class PodTable;
  Slot first_ = kNoSlot;
  Slot last_ = kNoSlot;
};

class PodTable {
 public:
  explicit PodTable(std::string job_name) : job_name_(std::move(job_name)) {}

  Slot find(Uid uid) const;
  Slot insert(Uid uid);  // must be absent
  void erase(Slot slot);
  PodRecord& at(Slot slot) { return (*chunks_[slot / kChunk])[slot % kChunk]; }
  const PodRecord& at(Slot slot) const { return (*chunks_[slot / kChunk])[slot % kChunk]; }
  size_t size() const { return size_; }
  // Slots are below this; some may be free (in_use is false).
  Slot end() const { return end_; }

  void set_name(Slot slot, std::string_view name);  // once, after insert()
  std::string name(Slot slot) const;

  // The first pod of an index, or kNoSlot.
  Slot head(int32_t index) const;
  Slot head_of(Slot slot) const;  // of the chain that this pod is in
  void link(Slot slot);           // to the chain of its index, which must not be -1
  void unlink(Slot slot);         // from it

  void push_back(SlotQueue& queue, Slot slot);
  void remove(SlotQueue& queue, Slot slot);

  size_t bytes() const;  // memory held, for the benchmark

 private:
  static constexpr size_t kChunk = 64;  // small: the explorer copies whole engines

  std::string job_name_;
  std::vector<Boxed<std::array<PodRecord, kChunk>>> chunks_;
  Slot free_ = kNoSlot;
  Slot end_ = 0;
  size_t size_ = 0;
  SlotTable uids_;
  SlotTable heads_;
  std::unordered_map<Slot, std::string> odd_names_;  // looked up only
};

}  // namespace windlass::engine
