#include "controllers/garbage/tracked_object.h"

#include <google/protobuf/message.h>

#include <algorithm>

#include "base/json_writer.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::controllers::garbage {
namespace {

void append_member(std::string_view name, std::string_view value, std::string& out) {
  out.append("\"").append(name).append("\":");
  append_json_string(value, out);
}

void append_flag(std::string_view name, std::optional<bool> value, std::string& out) {
  if (value) {
    out.append(",\"").append(name).append("\":").append(*value ? "true" : "false");
  }
}

void append_owner(const OwnerRef& owner, std::string& out) {
  out += '{';
  append_member("apiVersion", owner.api_version, out);
  out += ',';
  append_member("kind", owner.kind, out);
  out += ',';
  append_member("name", owner.name, out);
  out += ',';
  append_member("uid", owner.uid, out);
  append_flag("controller", owner.controller, out);
  append_flag("blockOwnerDeletion", owner.block_owner_deletion, out);
  out += '}';
}

bool says(const OwnerRef& owner, const api::meta::v1::OwnerReference& now) {
  const auto flag = [](bool is_set, bool value) {
    return is_set ? std::optional(value) : std::nullopt;
  };
  return owner.uid == now.uid() && owner.name == now.name() && owner.kind == now.kind() &&
         owner.api_version == now.api_version() &&
         owner.controller == flag(now.has_controller(), now.controller()) &&
         owner.block_owner_deletion ==
             flag(now.has_block_owner_deletion(), now.block_owner_deletion());
}

// Up to and including the bracket that opens the list.
std::string begin_patch(const TrackedObject& item, std::string_view list) {
  std::string body = R"({"metadata":{)";
  append_member("uid", item.uid, body);
  body += ',';
  append_member("resourceVersion", item.resource_version, body);
  return body.append(",\"").append(list).append("\":[");
}

void append_comma(std::string& body) {
  if (body.back() != '[') {
    body += ',';
  }
}

}  // namespace

bool TrackedObject::has_finalizer(std::string_view finalizer) const {
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

Stance TrackedObject::stance() const {
  if (!deleting) {
    return Stance::stays;
  }
  if (has_finalizer(kOrphanFinalizer)) {
    return Stance::orphans;
  }
  return has_finalizer(kForegroundFinalizer) ? Stance::waits : Stance::stays;
}

TrackedObjectPtr project(const api::Kind& kind, const api::Message& object) {
  const api::meta::v1::ObjectMeta& metadata = api::metadata_of(object);
  auto record = std::make_shared<TrackedObject>();
  record->kind = &kind;
  record->ns = metadata.namespace_();
  record->name = metadata.name();
  record->uid = metadata.uid();
  record->resource_version = metadata.resource_version();
  record->deleting = metadata.has_deletion_timestamp();
  record->finalizers.assign(metadata.finalizers().begin(), metadata.finalizers().end());
  record->owners.reserve(static_cast<size_t>(metadata.owner_references_size()));
  for (const auto& owner : metadata.owner_references()) {
    OwnerRef ref{owner.api_version(), owner.kind(), owner.name(), owner.uid()};
    if (owner.has_controller()) {
      ref.controller = owner.controller();
    }
    if (owner.has_block_owner_deletion()) {
      ref.block_owner_deletion = owner.block_owner_deletion();
    }
    record->owners.push_back(std::move(ref));
  }
  return record;
}

bool renew(const TrackedObjectPtr& record, const api::Message& object) {
  const api::meta::v1::ObjectMeta& metadata = api::metadata_of(object);
  const auto& owners = metadata.owner_references();
  const auto& finalizers = metadata.finalizers();
  const bool same =
      record->deleting == metadata.has_deletion_timestamp() &&
      std::equal(record->finalizers.begin(), record->finalizers.end(), finalizers.begin(),
                 finalizers.end()) &&
      std::equal(record->owners.begin(), record->owners.end(), owners.begin(), owners.end(), says);
  if (same) {
    record->resource_version = metadata.resource_version();
  }
  return same;
}

bool same_relations(const TrackedObject& a, const TrackedObject& b) {
  return a.deleting == b.deleting && a.owners == b.owners && a.finalizers == b.finalizers;
}

std::string owners_patch(const TrackedObject& item, const std::vector<OwnerRef>& owners) {
  std::string body = begin_patch(item, "ownerReferences");
  for (const OwnerRef& owner : owners) {
    append_comma(body);
    append_owner(owner, body);
  }
  return body.append("]}}");
}

std::string finalizers_patch(const TrackedObject& item, std::string_view without) {
  std::string body = begin_patch(item, "finalizers");
  for (const std::string& finalizer : item.finalizers) {
    if (finalizer != without) {
      append_comma(body);
      append_json_string(finalizer, body);
    }
  }
  return body.append("]}}");
}

}  // namespace windlass::controllers::garbage
