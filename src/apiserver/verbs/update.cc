// PUT, and what PATCH shares with it: api.md M30, M37-M41, M44, J109, J120, P60, P73-P75.
#include <google/protobuf/message.h>

#include "api/validate_metadata.h"
#include "apiserver/field_manager/field_tracker.h"
#include "apiserver/server.h"
#include "apiserver/stored_form.h"
#include "apiserver/strategies/metadata_rules.h"
#include "apiserver/strategies/node_restriction.h"
#include "apiserver/verbs/request_errors.h"
#include "client/object_identity.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {

using api::meta::v1::ObjectMeta;
WriteResult Server::update(const ObjectRef& ref, std::string_view subresource,
                           MutableObjectPtr object, const WriteOptions& options) {
  WriteResult result;
  Result<ObjectPtr> answer = try_update(ref, subresource, std::move(object), options, result);
  return finished(std::move(result), std::move(answer));
}

Result<ObjectPtr> Server::try_update(const ObjectRef& ref, std::string_view subresource,
                                     MutableObjectPtr object, const WriteOptions& options,
                                     WriteResult& result) {
  if (subresource == "finalize") {
    return try_finalize(ref, std::move(object), options, result);
  }
  const Strategy* strategy = find_strategy(*ref.kind);
  const bool status = subresource == "status";
  if (strategy == nullptr || (status ? !strategy->traits().has_status : !subresource.empty())) {
    return fail(no_such_resource());
  }
  FieldTracker tracker(*ref.kind, subresource, options);
  TRY_VOID(match_named_url(ref, api::mutable_metadata_of(*object)));
  const Result<Stored> stored = find(ref);
  const std::string uid = api::metadata_of(*object).uid();
  if (!stored) {
    if (status || !strategy->traits().create_on_update) {
      return fail(stored.error());
    }
    if (!uid.empty()) {
      return fail(uid_mismatch(ref, uid, ""));  // it was meant for one that is gone
    }
    api::mutable_metadata_of(*object).clear_resource_version();
    return try_create(ref, std::move(object), options, tracker, result);
  }
  if (!uid.empty() && uid != client::uid_of(*stored->object)) {
    return fail(uid_mismatch(ref, uid, client::uid_of(*stored->object)));
  }
  return replace(ref, *strategy, status, *stored, std::move(object), options, tracker, result);
}

Result<ObjectPtr> Server::replace(const ObjectRef& ref, const Strategy& strategy, bool status,
                                  const Stored& stored, MutableObjectPtr object,
                                  const WriteOptions& options, FieldTracker& tracker,
                                  WriteResult& result) {
  const Message& old = *stored.object;
  ObjectMeta& metadata = api::mutable_metadata_of(*object);
  result.add_warnings({api::deduplicate_owner_references(metadata)});
  TRY_VOID(check_version(ref, strategy.traits(), metadata, stored.version->revision()));
  restore_server_fields(api::metadata_of(old), metadata);
  strategy.apply_defaults(*object, &old, context());
  if (!options.node.empty()) {
    TRY_VOID(restrict_node_write(ref, options.node, *object, &old));
  }
  tracker.update(old, *object);
  if (status) {
    strategy.prepare_for_status_update(old, *object, context());
  } else {
    TRY_VOID(admit(ref, *object, &old));
    strategy.prepare_for_update(old, *object, context());
  }
  const api::FieldErrors errors = status ? strategy.validate_status_update(old, *object)
                                         : strategy.validate_update(old, *object);
  if (!errors.empty()) {
    return fail(errors.to_status(stored_kind(*ref.kind), ref.name));
  }
  TRY_VOID(admit_valid(ref, *object));
  result.add_warnings(strategy.warnings(*object, &old));
  api::mutable_metadata_of(*object).set_resource_version(client::resource_version_of(old));
  if (is_released(strategy, *object)) {
    // P73: watchers see the state before the release, the client the one after it.
    std::unique_ptr<Message> last(old.New());
    last->CopyFrom(old);
    TRY_VOID(erase(ref, stored.version->revision(), std::move(last), options));
    result.removed = true;
    return ObjectPtr(std::move(object));
  }
  if (is_stored_as(*ref.kind, *object, stored.version->bytes())) {
    return stored.object;  // M41
  }
  tracker.stamp(*object, clock_.now());
  return put(ref, stored.version->revision(), std::move(object), options);
}

}  // namespace windlass::apiserver
