#include "apiserver/field_manager/field_tracker.h"

#include <google/protobuf/message.h>

#include "api/codec/json/json_tree.h"
#include "api/patch/typed_compare.h"
#include "api/patch/typed_merge.h"
#include "apiserver/field_manager/apply_conflicts.h"
#include "apiserver/verbs/object_parts.h"
#include "base/check.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

using api::FieldChanges;
using api::FieldSet;
using api::JsonValue;
using api::NodeType;
using api::meta::v1::ObjectMeta;

constexpr const char* kBeforeFirstApply = "before-first-apply";

FieldSet fields(std::string_view json) {
  Result<FieldSet> set = api::parse_field_set(json);
  CHECK(set.has_value(), json);
  return *std::move(set);
}

// What identifies an object, or is the server's own, has no owner.
const FieldSet& ownerless() {
  static const FieldSet set =
      fields(R"({"f:apiVersion":{},"f:kind":{},"f:metadata":{"f:name":{},"f:namespace":{},)"
             R"("f:creationTimestamp":{},"f:selfLink":{},"f:uid":{},"f:generation":{},)"
             R"("f:managedFields":{},"f:resourceVersion":{}}})");
  return set;
}

FieldSet with_ownerless(FieldSet set) {
  unite(set, ownerless());
  return set;
}

// M105: a write of the object never owns its status, one of the status never the spec.
const FieldSet& out_of_reach(std::string_view subresource) {
  static const FieldSet of_object = with_ownerless(fields(R"({"f:status":{}})"));
  static const FieldSet of_status = with_ownerless(
      fields(R"({"f:spec":{},"f:metadata":{"f:ownerReferences":{},"f:deletionTimestamp":{}}})"));
  return subresource.empty() ? of_object : of_status;
}

NodeType type_of(const api::Message& object) {
  return root_type(api::json_struct(*object.GetDescriptor()));
}

// Parts that are the same to the byte need no look inside.
FieldChanges changes_between(const api::Message& old, const api::Message& object) {
  if (!consists_of_parts(old)) {
    return compare_fields(api::to_json_tree(old), api::to_json_tree(object), type_of(object));
  }
  const std::vector<Part> parts = differing_parts(old, object);
  return compare_fields(api::to_json_tree(old, {}, parts), api::to_json_tree(object, {}, parts),
                        type_of(object));
}

// The members that an object has before anything is written to it.
JsonValue empty_tree(const api::Kind& kind) {
  return api::to_json_tree(*kind.make());
}

// The fields without an owner that no apply may take away. The control plane's own writes are not
// tracked, and most of them are in the metadata and in the status. Elsewhere what has no owner are
// defaults, which go with the field that they belong to. The sections of an object never go.
FieldSet kept_without_owner(const JsonValue& live, const ManagedFields& entries,
                            const NodeType& type) {
  JsonValue written = JsonValue::object();
  for (const char* name : {"metadata", "status"}) {
    if (const JsonValue* section = live.find(name)) {
      written.members.emplace(name, *section);
    }
  }
  FieldSet kept = fields_of(written, type);
  for (const ManagedEntry& entry : entries) {
    subtract(kept, entry.fields);
  }
  for (const auto& [name, section] : live.members) {
    kept.children[api::field_element(name)].member = true;
  }
  return kept;
}

}  // namespace

FieldTracker::FieldTracker(const api::Kind& kind, std::string_view subresource,
                           const WriteOptions& options)
    : kind_(kind), subresource_(subresource), options_(options) {}

FieldOwner FieldTracker::owner(bool applies) const {
  return {options_.field_manager, applies, kind_.api_version(), subresource_};
}

void FieldTracker::create(api::Message& object) {
  ObjectMeta& metadata = api::mutable_metadata_of(object);
  if (!applies_) {
    tracked_ = !options_.field_manager.empty();
    if (tracked_) {
      entries_ = read_managed_fields(metadata).value_or(ManagedFields());
      metadata.clear_managed_fields();
      record(compare_fields(empty_tree(kind_), api::to_json_tree(object), type_of(object)));
    }
  }
  metadata.clear_managed_fields();  // stamp writes them
}

void FieldTracker::update(const api::Message& old, api::Message& object) {
  ObjectMeta& metadata = api::mutable_metadata_of(object);
  const ObjectMeta& live = api::metadata_of(old);
  if (applies_) {
    write_managed_fields(entries_, metadata);
    return;
  }
  const bool cleared = subresource_.empty() && clears_managed_fields(metadata);
  if (subresource_.empty() && !cleared && !options_.field_manager.empty()) {
    entries_ = read_managed_fields(metadata).value_or(ManagedFields());
  }
  if (entries_.empty() && !cleared && !options_.field_manager.empty()) {
    entries_ = read_managed_fields(live).value_or(ManagedFields());
  }
  tracked_ = !entries_.empty();
  if (tracked_) {
    metadata.clear_managed_fields();  // read by now, and of any depth
    record(changes_between(old, object));
    write_managed_fields(entries_, metadata);
  } else if (cleared) {
    metadata.clear_managed_fields();
  } else {
    *metadata.mutable_managed_fields() = live.managed_fields();
  }
}

void FieldTracker::record(FieldChanges changes) {
  cut(changes.set, out_of_reach(subresource_));
  cut(changes.removed, out_of_reach(subresource_));
  const FieldOwner self = owner(false);
  for (ManagedEntry& entry : entries_) {
    if (entry.owner != self && entry.owner.api_version == self.api_version) {
      subtract(entry.fields, changes.set);
      subtract(entry.fields, changes.removed);
    }
  }
  FieldSet& own = entry_of(entries_, self).fields;
  subtract(own, changes.removed);
  unite(own, std::move(changes.set));
}

void FieldTracker::apply_new(const JsonValue& config) {
  applies_ = true;
  tracked_ = true;
  FieldSet& own = entry_of(entries_, owner(true)).fields;
  own = fields_of(config, type_of(*kind_.make()));
  cut(own, out_of_reach(subresource_));
}

Result<std::unique_ptr<api::Message>> FieldTracker::apply(const api::Message& old,
                                                          const JsonValue& config, Time now) {
  const NodeType type = type_of(old);
  JsonValue live = api::to_json_tree(old);
  entries_ = read_managed_fields(api::metadata_of(old)).value_or(ManagedFields());
  if (entries_.empty()) {
    FieldSet all = compare_fields(empty_tree(kind_), live, type).set;
    cut(all, ownerless());
    entries_.push_back({{kBeforeFirstApply, false, kind_.api_version(), ""}, now, std::move(all)});
  }
  api::Ownership owned;
  owned.others = kept_without_owner(live, entries_, type);
  const FieldOwner self = owner(true);
  for (const ManagedEntry& entry : entries_) {
    unite(entry.owner == self ? owned.before : owned.others, entry.fields);
  }
  apply_new(config);
  owned.now = entry_of(entries_, self).fields;

  JsonValue merged = live;
  merge_typed(merged, config, type);
  prune_typed(merged, owned, type);
  std::unique_ptr<api::Message> object = kind_.make();
  const auto decoded = api::decode_json_tree(merged, *object);
  if (!decoded) {
    return fail(bad_request(decoded.error().message));
  }
  FieldChanges changes = compare_fields(live, api::to_json_tree(*object), type);
  cut(changes.set, out_of_reach(subresource_));
  cut(changes.removed, out_of_reach(subresource_));
  // A value that is applied as null, false or empty is not stored. Its field is set nevertheless.
  unite(changes.set, intersection(changes.removed, owned.now));
  TRY_VOID(take_over(old, changes));
  return object;
}

Result<void> FieldTracker::take_over(const api::Message& old, const FieldChanges& changes) {
  const FieldOwner self = owner(true);
  std::vector<ApplyConflict> conflicts;
  for (const ManagedEntry& entry : entries_) {
    if (entry.owner != self && entry.owner.api_version == self.api_version) {
      FieldSet contested = intersection(entry.fields, changes.set);
      if (!contested.empty()) {
        conflicts.push_back({entry.owner, std::move(contested)});
      }
    }
  }
  if (!options_.force) {
    excuse_client_side_apply(self.manager, old, conflicts);
    if (!conflicts.empty()) {
      return fail(apply_conflict(conflicts));
    }
  }
  for (ManagedEntry& entry : entries_) {
    if (entry.owner != self && entry.owner.api_version == self.api_version) {
      subtract(entry.fields, changes.set);
      subtract(entry.fields, changes.removed);
    }
  }
  return {};
}

void FieldTracker::stamp(api::Message& object, Time now) {
  if (!tracked_) {
    return;
  }
  entry_of(entries_, owner(applies_)).time = now;
  write_managed_fields(std::move(entries_), api::mutable_metadata_of(object));
}

}  // namespace windlass::apiserver
