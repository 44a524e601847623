#include "apiserver/strategies/metadata_rules.h"

#include <google/protobuf/message.h>

#include "apiserver/verbs/request_errors.h"
#include "client/object_identity.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {

using api::meta::v1::ObjectMeta;

namespace {

// Over protobuf an empty time is there, and means none.
bool is_zero(const api::meta::v1::Time& time) {
  return time.seconds() == 0 && time.nanos() == 0;
}

Result<void> match_name(const client::ObjectRef& ref, const ObjectMeta& metadata) {
  if (ref.name.empty() || metadata.name() == ref.name) {
    return {};
  }
  return fail(bad_request("the name of the object (" + metadata.name() +
                          ") does not match the name on the URL (" + ref.name + ")"));
}

Result<void> match_namespace(const client::ObjectRef& ref, ObjectMeta& metadata) {
  if (!ref.kind->namespaced) {
    metadata.clear_namespace_();  // manifests made by tools often have one
    return {};
  }
  if (!metadata.namespace_().empty() && metadata.namespace_() != ref.ns) {
    return fail(bad_request(
        "the namespace of the provided object does not match the namespace sent on the request"));
  }
  if (!ref.ns.empty()) {
    metadata.set_namespace_(ref.ns);
  }
  return {};
}

}  // namespace

Result<void> match_url(const client::ObjectRef& ref, ObjectMeta& metadata) {
  if (metadata.name().empty() && !ref.name.empty()) {
    metadata.set_name(ref.name);
  }
  TRY_VOID(match_name(ref, metadata));
  return match_namespace(ref, metadata);
}

Result<void> match_named_url(const client::ObjectRef& ref, ObjectMeta& metadata) {
  TRY_VOID(match_namespace(ref, metadata));
  if (metadata.name().empty()) {
    return fail(bad_request("the name of the object (" + ref.name +
                            " based on URL) was undeterminable: name must be provided"));
  }
  return match_name(ref, metadata);
}

Result<void> check_version(const client::ObjectRef& ref, const Traits& traits,
                           const ObjectMeta& metadata, store::Revision stored) {
  const std::string& sent = metadata.resource_version();
  if (sent.empty() || sent == "0") {
    if (traits.unconditional_update) {
      return {};
    }
    api::FieldErrors errors;
    errors.invalid(api::FieldPath("metadata").child("resourceVersion"), api::BadValue::number(0),
                   "must be specified for an update");
    // The one Invalid that names the plural (M21).
    api::Kind named = *ref.kind;
    named.kind = named.plural;
    return fail(errors.to_status(named, ref.name));
  }
  const uint64_t number = client::version_number(sent);
  if (number == 0) {
    return fail(bad_version_number(sent));
  }
  if (number != stored) {
    return fail(stale_version(ref));
  }
  return {};
}

void restore_server_fields(const ObjectMeta& old, ObjectMeta& metadata) {
  if (metadata.uid().empty()) {
    metadata.set_uid(old.uid());
  }
  metadata.clear_self_link();
  metadata.clear_generation();
  if (old.generation() != 0) {
    metadata.set_generation(old.generation());
  }
  metadata.clear_creation_timestamp();
  if (old.has_creation_timestamp()) {
    *metadata.mutable_creation_timestamp() = old.creation_timestamp();
  }
  // No update takes a deletion back. One that begins it, or changes how long it may last, is left
  // as it is: validation refuses it.
  if (old.has_deletion_timestamp()) {
    *metadata.mutable_deletion_timestamp() = old.deletion_timestamp();
  } else if (is_zero(metadata.deletion_timestamp())) {
    metadata.clear_deletion_timestamp();
  }
  if (old.has_deletion_grace_period_seconds() && !metadata.has_deletion_grace_period_seconds()) {
    metadata.set_deletion_grace_period_seconds(old.deletion_grace_period_seconds());
  }
}

bool is_released(const Strategy& strategy, const Message& object) {
  const ObjectMeta& metadata = api::metadata_of(object);
  return metadata.has_deletion_timestamp() && metadata.deletion_grace_period_seconds() == 0 &&
         metadata.finalizers().empty() && !strategy.is_held(object);
}

}  // namespace windlass::apiserver
