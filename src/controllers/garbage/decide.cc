#include "controllers/garbage/decide.h"

#include <algorithm>

#include "base/check.h"

namespace windlass::controllers::garbage {
namespace {

bool has(const Around& around, OwnerState state) {
  return std::find(around.owners.begin(), around.owners.end(), state) != around.owners.end();
}

template <class Keep>
CollectorAction keep_owners(const TrackedObject& item, const Around& around, Keep keep) {
  CollectorAction action{CollectorAction::Type::set_owners};
  for (size_t i = 0; i < item.owners.size(); ++i) {
    if (keep(around.owners[i])) {
      action.owners.push_back(item.owners[i]);
    }
  }
  return action;
}

// Its own dependents decide when a deleted object may go.
CollectorAction finish_deletion(const TrackedObject& item, const Around& around) {
  switch (item.stance()) {
    case Stance::stays:
      break;
    case Stance::waits:
      if (around.blocking_dependents == 0) {
        return {CollectorAction::Type::drop_finalizer, {}, kForegroundFinalizer};
      }
      break;
    case Stance::orphans:
      if (around.dependents == 0) {
        return {CollectorAction::Type::drop_finalizer, {}, kOrphanFinalizer};
      }
      break;
  }
  return {};
}

CollectorAction unblock_owners(const TrackedObject& item) {
  CollectorAction action{CollectorAction::Type::set_owners, item.owners};
  for (OwnerRef& owner : action.owners) {
    if (owner.blocks()) {
      owner.block_owner_deletion = false;
    }
  }
  return action;
}

bool blocks_any(const TrackedObject& item) {
  return std::any_of(item.owners.begin(), item.owners.end(),
                     [](const OwnerRef& owner) { return owner.blocks(); });
}

// The policy that a finalizer asked for before holds.
std::string_view policy_of(const TrackedObject& item) {
  if (item.has_finalizer(kOrphanFinalizer)) {
    return "Orphan";
  }
  return item.has_finalizer(kForegroundFinalizer) ? "Foreground" : "Background";
}

}  // namespace

CollectorAction decide(const TrackedObject& item, const Around& around) {
  CHECK(around.owners.size() == item.owners.size(), "every owner was looked at");
  // Also for what is being deleted: the owner waits until nothing names it any more.
  if (has(around, OwnerState::orphans)) {
    return keep_owners(item, around, [](OwnerState state) { return state != OwnerState::orphans; });
  }
  if (item.deleting) {
    return finish_deletion(item, around);
  }
  if (item.owners.empty() || has(around, OwnerState::unresolvable)) {
    return {};
  }
  if (has(around, OwnerState::stays)) {
    const bool all_stay = !has(around, OwnerState::gone) && !has(around, OwnerState::waits);
    return all_stay ? CollectorAction() : keep_owners(item, around, [](OwnerState state) {
      return state == OwnerState::stays;
    });
  }
  if (has(around, OwnerState::waits) && around.dependents > 0) {
    // Two that wait for each other would wait for ever.
    if (around.has_waiting_dependent && blocks_any(item)) {
      return unblock_owners(item);
    }
    return {CollectorAction::Type::remove, {}, {}, "Foreground"};
  }
  return {CollectorAction::Type::remove, {}, {}, policy_of(item)};
}

}  // namespace windlass::controllers::garbage
