// The writes of pods that a decision sent and that are not answered yet, each of which is answered
// exactly once. Owned by Engine; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/decision.h"
#include "engine/state/pod_table.h"

namespace windlass::engine {

class WritesInFlight {
 public:
  struct PodChange {
    PodOp op = PodOp::delete_pod;
    Uid uid;
    Slot slot = kNoSlot;
    std::string name;  // of deletes
  };

  bool empty() const { return creates_.empty() && changes_.empty(); }

  // Of a pod for this index: the number to answer with.
  uint32_t add_create(int64_t index);
  // Whether all creates of the round are answered now.
  bool answer_create(uint32_t id);
  // A pod is gone. The answer to a create may still be about it.
  void note_gone(std::string_view uid);
  bool is_gone(std::string_view uid) const { return gone_.contains(uid); }

  void add_change(const PodWrite& write, Uid uid, Slot slot);
  PodChange answer_change(std::string_view uid);

 private:
  friend class Fingerprint;
  static constexpr int64_t kAnswered = kNoIndex - 1;
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  // Numbered from first_create_ on: the index that each is for, or kAnswered. Empty when all are
  // answered.
  std::vector<int64_t> creates_;
  size_t unanswered_creates_ = 0;
  uint32_t first_create_ = 1;
  std::set<std::string, std::less<>> gone_;  // while creates are unanswered
  // By UID; looked up only.
  std::unordered_map<std::string, PodChange, TextHash, std::equal_to<>> changes_;
};

}  // namespace windlass::engine
