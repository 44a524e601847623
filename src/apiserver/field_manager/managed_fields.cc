#include "apiserver/field_manager/managed_fields.h"

#include <algorithm>
#include <tuple>

#include "api/codec/wire_time.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

using api::meta::v1::ManagedFieldsEntry;
using api::meta::v1::ObjectMeta;

constexpr const char* kAncientChanges = "ancient-changes";

// What is stored has whole seconds. By anything finer the entries of two managers of one second
// would change their places when they are read and written again.
int64_t seconds_of(const ManagedEntry& entry) {
  return entry.time ? unix_seconds(*entry.time) : 0;
}

// As Kubernetes sorts them.
auto order_of(const ManagedEntry& entry) {
  return std::make_tuple(!entry.owner.applies, seconds_of(entry), entry.owner.manager,
                         entry.owner.api_version, entry.owner.subresource);
}

// `entries` are sorted. The oldest writers move into the entry for old writers, first those
// that have a name of their own; entries of that very name count, too, because a client may send
// any number of them, each for a subresource of its own.
void cap_updates(ManagedFields& entries) {
  std::vector<size_t> oldest;
  for (const bool ancient : {false, true}) {
    for (size_t i = 0; i < entries.size(); ++i) {
      const FieldOwner& owner = entries[i].owner;
      if (!owner.applies && (owner.manager == kAncientChanges) == ancient) {
        oldest.push_back(i);
      }
    }
  }
  size_t updates = oldest.size();
  std::vector<bool> gone(entries.size());
  for (const size_t i : oldest) {
    if (updates <= kMaxUpdateManagers) {
      break;
    }
    const FieldOwner into{kAncientChanges, false, entries[i].owner.api_version, ""};
    if (entries[i].owner == into) {
      continue;
    }
    const size_t before = entries.size();
    ManagedEntry& ancient = entry_of(entries, into);
    updates -= entries.size() == before ? 1U : 0U;
    const size_t place = static_cast<size_t>(&ancient - entries.data());
    unite(entries[place].fields, entries[i].fields);
    entries[place].time = std::max(entries[place].time, entries[i].time);
    gone[i] = true;
  }
  gone.resize(entries.size());
  size_t i = 0;
  std::erase_if(entries, [&](const ManagedEntry&) { return gone[i++]; });
}

}  // namespace

std::optional<ManagedFields> read_managed_fields(const ObjectMeta& metadata) {
  if (metadata.managed_fields_size() > kMaxManagedEntries) {
    return std::nullopt;
  }
  ManagedFields entries;
  for (const ManagedFieldsEntry& stored : metadata.managed_fields()) {
    const bool applies = stored.operation() == "Apply";
    Result<api::FieldSet> fields = api::parse_field_set(stored.fields_v1().raw());
    if (!fields || (!applies && stored.operation() != "Update")) {
      return std::nullopt;
    }
    ManagedEntry& entry =
        entry_of(entries, {stored.manager(), applies, stored.api_version(), stored.subresource()});
    unite(entry.fields, *std::move(fields));
    if (stored.has_time()) {
      entry.time = api::time_of(stored.time());
    }
  }
  return entries;
}

void write_managed_fields(ManagedFields entries, ObjectMeta& metadata) {
  std::erase_if(entries, [](const ManagedEntry& entry) { return entry.fields.empty(); });
  std::ranges::sort(entries, {}, order_of);
  cap_updates(entries);
  std::ranges::sort(entries, {}, order_of);
  metadata.clear_managed_fields();
  for (const ManagedEntry& entry : entries) {
    ManagedFieldsEntry& stored = *metadata.add_managed_fields();
    stored.set_manager(entry.owner.manager);
    stored.set_operation(entry.owner.applies ? "Apply" : "Update");
    stored.set_api_version(entry.owner.api_version);
    if (entry.time) {
      api::set_time(*stored.mutable_time(), *entry.time);
    }
    stored.set_fields_type("FieldsV1");
    stored.mutable_fields_v1()->set_raw(to_fields_v1(entry.fields));
    if (!entry.owner.subresource.empty()) {
      stored.set_subresource(entry.owner.subresource);
    }
  }
}

bool clears_managed_fields(const ObjectMeta& metadata) {
  return metadata.managed_fields_size() == 1 && metadata.managed_fields(0).ByteSizeLong() == 0;
}

void keep_reset_request(std::string_view json, ObjectMeta& metadata) {
  if (!metadata.managed_fields().empty() || json.find("managedFields") == std::string_view::npos) {
    return;
  }
  if (const Result<api::JsonTree> tree = api::parse_json_value(json)) {
    keep_reset_request(tree->value, metadata);
  }
}

void keep_reset_request(const api::JsonValue& object, ObjectMeta& metadata) {
  const api::JsonValue* member = object.find("metadata");
  const api::JsonValue* fields = member != nullptr ? member->find("managedFields") : nullptr;
  if (metadata.managed_fields().empty() && fields != nullptr && fields->is_array()) {
    metadata.add_managed_fields();
  }
}

ManagedEntry& entry_of(ManagedFields& entries, const FieldOwner& owner) {
  const auto found = std::ranges::find(entries, owner, &ManagedEntry::owner);
  if (found != entries.end()) {
    return *found;
  }
  entries.push_back({owner, std::nullopt, {}});
  return entries.back();
}

}  // namespace windlass::apiserver
