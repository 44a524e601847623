// The pods of one Job, compactly: about 80 bytes each plus two small hash tables. Owns the records;
// knows nothing of counting or deciding. A slot number stays valid until its pod is erased.
//
// Pods of one completion index are chained, and counted per index, for Indexed Jobs only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "job/boxed.h"
#include "job/types.h"
#include "job/uid.h"

namespace windlass::job {

using Slot = uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

// Whether a finished pod is already accounted for in the stored status.
enum class Accounted : uint8_t { no, succeeded, failed, ignored };
// What the engine has to do about a pod next.
enum class Todo : uint8_t { nothing, account, release, remove };

struct PodRecord {
  Uid uid;
  uint64_t rv = 0;
  Time created;
  Time stamp;  // when it finished; for an active pod, when it became ready
  int32_t index = -1;
  int32_t failures = 0;          // annotation: counted failures before this pod
  int32_t ignored_failures = 0;  // annotation: ignored failures before this pod
  int32_t restarts = 0;          // sum over containers, saturated
  uint16_t max_restarts = 0;     // of regular containers, saturated
  uint16_t max_sidecar_restarts = 0;
  Slot next = kNoSlot;  // chain of the same index
  Slot previous = kNoSlot;
  std::array<char, 5> suffix{};  // last characters of a generated name; "\0..." for other names
  Phase phase = Phase::pending;
  Action action = Action::none;
  Accounted accounted = Accounted::no;
  Todo todo = Todo::nothing;
  bool in_use : 1 = false;
  bool ready : 1 = false;
  bool has_node : 1 = false;
  bool has_finalizer : 1 = false;
  bool deleting : 1 = false;
  bool dropped : 1 = false;
  bool condemned : 1 = false;  // chosen for removal by scaling
  bool duplicate : 1 = false;  // another active pod of its index is to stay instead
  bool held : 1 = false;       // kept for its index until it is replaced (5.21)
  bool batched : 1 = false;    // in the status write under way
  bool queued : 1 = false;     // in the queue that `todo` names
  bool in_flight : 1 = false;  // a write of it is under way
  bool listed : 1 = false;     // seen by the listing under way
  bool released : 1 = false;   // finalizer taken away by us, whatever stale news says
  bool marked : 1 = false;     // dropped by us, likewise
  bool deleted : 1 = false;    // deleted by us, likewise

  bool is_active() const { return !is_terminal(phase) && !deleting; }
  bool is_terminating() const { return !is_terminal(phase) && deleting; }
};

struct IndexEntry {
  int32_t index = -1;  // -1: free place in the table
  Slot head = kNoSlot;
  int32_t active = 0;
  int32_t terminating = 0;
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

  void set_name(Slot slot, std::string_view name);
  std::string name(Slot slot) const;

  // The entry of an index, or null. The pointer lives until the next link or unlink.
  IndexEntry* entry(int32_t index);
  const IndexEntry* entry(int32_t index) const;
  void link(Slot slot);    // to the chain of its index, which must not be -1
  void unlink(Slot slot);  // from it; an entry without pods goes away

  size_t bytes() const;  // memory held, for the benchmark

 private:
  static constexpr size_t kChunk = 64;  // small: the explorer copies whole engines

  void grow_uids();
  void grow_entries();
  size_t uid_place(Uid uid) const;
  size_t entry_place(int32_t index) const;
  void remove_entry(size_t place);

  std::string job_name_;
  std::vector<Boxed<std::array<PodRecord, kChunk>>> chunks_;
  std::vector<Slot> free_;
  Slot end_ = 0;
  size_t size_ = 0;
  std::vector<Slot> uids_;  // open addressing; size is a power of two
  std::vector<IndexEntry> entries_;
  size_t entry_count_ = 0;
  std::unordered_map<Slot, std::string> odd_names_;  // looked up only
};

}  // namespace windlass::job
