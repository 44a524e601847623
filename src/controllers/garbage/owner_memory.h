// What is known of owners that are gone: which are certainly gone, so that the server is asked once
// and not for each of 100,000 dependents, and which were to leave their dependents alive. UIDs
// never come back, so nothing here becomes wrong; memory is bounded, and what falls out is asked
// again. One thread.
#pragma once

#include <string>

#include "client/bounded_map.h"
#include "controllers/garbage/tracked_object.h"

namespace windlass::controllers::garbage {

class OwnerMemory {
 public:
  static constexpr size_t kMaxGone = 500;
  static constexpr size_t kMaxOrphaned = 4096;

  // By all coordinates: a wrong reference must not speak for right ones. `ns` is the namespace that
  // the owner was looked for in.
  void remember_gone(const OwnerRef& owner, const std::string& ns) { gone_[key(owner, ns)] = true; }
  bool is_gone(const OwnerRef& owner, const std::string& ns) {
    return gone_.find(key(owner, ns)) != nullptr;
  }

  // The last thing that held the owner is, or is about to be, taken off with this policy.
  void remember_orphaned(const std::string& uid, bool orphaned) {
    if (orphaned || orphaned_.find(uid) != nullptr) {
      orphaned_[uid] = orphaned;
    }
  }
  bool is_orphaned(const std::string& uid) {
    const bool* orphaned = orphaned_.find(uid);
    return orphaned != nullptr && *orphaned;
  }

 private:
  static std::string key(const OwnerRef& owner, const std::string& ns) {
    return owner.api_version + ' ' + owner.kind + ' ' + ns + ' ' + owner.name + ' ' + owner.uid;
  }

  client::BoundedMap<bool> gone_{kMaxGone};
  client::BoundedMap<bool> orphaned_{kMaxOrphaned};
};

}  // namespace windlass::controllers::garbage
