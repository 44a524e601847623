// How the stored Job accounts for pods that it lists by UID: in the uncounted lists of its status,
// and the ignored ones of its record. A sorted list; of a UID that is listed twice the first
// counts. Owned by State; one thread.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/state/pod_table.h"
#include "engine/state/uid.h"

namespace windlass::engine {

class StoredAccounts {
 public:
  using Entries = std::vector<std::pair<Uid, Accounted>>;

  // What was listed.
  Entries clear() { return std::exchange(entries_, {}); }
  // sort() must follow the last of them.
  void add(Uid uid, Accounted accounted) { entries_.emplace_back(uid, accounted); }
  void sort() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  Accounted find(Uid uid) const {
    const auto before = [](const auto& entry, Uid wanted) { return entry.first < wanted; };
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), uid, before);
    return found != entries_.end() && found->first == uid ? found->second : Accounted::no;
  }
  const Entries& entries() const { return entries_; }

 private:
  Entries entries_;
};

}  // namespace windlass::engine
