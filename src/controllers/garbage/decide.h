// What becomes of one object, given its owners and dependents (api.md M54): the collector's rules
// as one pure function. At most one write comes out; afterwards the object is looked at again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/garbage/tracked_object.h"

namespace windlass::controllers::garbage {

enum class OwnerState {
  stays,
  gone,
  waits,         // it is deleted in the foreground: its dependents go first
  orphans,       // it is deleted, and its dependents are to stay
  unresolvable,  // it cannot be told whether it is there
};

struct Around {
  std::vector<OwnerState> owners;  // one for each reference
  size_t dependents = 0;
  size_t blocking_dependents = 0;
  bool has_waiting_dependent = false;
};

struct CollectorAction {
  enum class Type { none, set_owners, drop_finalizer, remove };

  Type type = Type::none;
  std::vector<OwnerRef> owners = {};  // set_owners: what they are to be
  std::string_view finalizer = {};    // drop_finalizer
  std::string_view policy = {};       // remove: how its own dependents fare
};

CollectorAction decide(const TrackedObject& item, const Around& around);

}  // namespace windlass::controllers::garbage
