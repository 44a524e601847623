// metadata.managedFields: who owns which field, entry by entry (api.md M102, M105). Here are the
// entries themselves and how they are read and written; who gets what is in field_tracker.h. Plain
// data and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/json_value.h"
#include "api/patch/field_set.h"
#include "base/time.h"

namespace windlass::api::meta::v1 {
class ObjectMeta;
}

namespace windlass::apiserver {

// More writers than these are taken together as one (M105).
inline constexpr size_t kMaxUpdateManagers = 10;
// A longer list is not read: no honest writer sends one.
inline constexpr int kMaxManagedEntries = 1000;

// One writer in one way of writing.
struct FieldOwner {
  std::string manager;
  bool applies = false;  // operation Apply; else Update
  std::string api_version;
  std::string subresource;

  bool operator==(const FieldOwner&) const = default;
};

struct ManagedEntry {
  FieldOwner owner;
  std::optional<Time> time;
  api::FieldSet fields;
};

using ManagedFields = std::vector<ManagedEntry>;

// Nothing when what the object carries cannot be read.
std::optional<ManagedFields> read_managed_fields(const api::meta::v1::ObjectMeta& metadata);
// Empty entries are left out; too many updates become `ancient-changes`.
void write_managed_fields(ManagedFields entries, api::meta::v1::ObjectMeta& metadata);

// A client that sends one empty entry wants to be rid of them all (M105).
bool clears_managed_fields(const api::meta::v1::ObjectMeta& metadata);
// So does one that sends an empty list, but a message does not tell it from none: this gives the
// metadata the empty entry if the object in this JSON has such a list.
void keep_reset_request(std::string_view json, api::meta::v1::ObjectMeta& metadata);
void keep_reset_request(const api::JsonValue& object, api::meta::v1::ObjectMeta& metadata);

// Adds an empty one where there is none.
ManagedEntry& entry_of(ManagedFields& entries, const FieldOwner& owner);

}  // namespace windlass::apiserver
