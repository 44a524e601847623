// What the collector keeps of any object: who it is, whom it belongs to, and how far its deletion
// is. Plain data and pure functions; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "client/api_client.h"

namespace windlass::controllers::garbage {

// The finalizers that ask the collector for something (api.md M51).
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

struct OwnerRef {
  std::string api_version = {};
  std::string kind = {};
  std::string name = {};
  std::string uid = {};
  std::optional<bool> controller = {};
  std::optional<bool> block_owner_deletion = {};

  bool blocks() const { return block_owner_deletion.value_or(false); }
  bool operator==(const OwnerRef&) const = default;
};

// What an object's own deletion means for its dependents.
enum class Stance {
  stays,    // nothing: it is not deleted, or waits for others than them
  waits,    // foreground: they go first
  orphans,  // they are to forget it
};

struct TrackedObject {
  const api::Kind* kind = nullptr;
  std::string ns = {};
  std::string name = {};
  std::string uid = {};
  mutable std::string resource_version = {};  // of the newest state with these relations
  std::vector<OwnerRef> owners = {};
  std::vector<std::string> finalizers = {};
  bool deleting = false;

  bool has_finalizer(std::string_view finalizer) const;
  Stance stance() const;
  client::ObjectRef ref() const { return {kind, ns, name}; }
};

using TrackedObjectPtr = std::shared_ptr<const TrackedObject>;

TrackedObjectPtr project(const api::Kind& kind, const api::Message& object);
// The object as it is now still has these relations; then the record gets its version.
bool renew(const TrackedObjectPtr& record, const api::Message& object);

// The same in all that the collector decides by.
bool same_relations(const TrackedObject& a, const TrackedObject& b);

// Merge patches that hold only for the version of the object that was looked at: its lists are
// replaced as a whole.
std::string owners_patch(const TrackedObject& item, const std::vector<OwnerRef>& owners);
std::string finalizers_patch(const TrackedObject& item, std::string_view without);

}  // namespace windlass::controllers::garbage
