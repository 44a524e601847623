// PUT namespaces/NAME/finalize: the controller that emptied a namespace removes spec.finalizers,
// and with the last one it goes (api.md N11).
#include <google/protobuf/message.h>

#include "api/validate_metadata.h"
#include "apiserver/server.h"
#include "apiserver/stored_form.h"
#include "apiserver/strategies/metadata_rules.h"
#include "apiserver/strategies/strategies.h"
#include "apiserver/verbs/request_errors.h"
#include "client/object_identity.h"
#include "schema/core/v1/namespace.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Namespace;

api::FieldErrors validate_finalize(const Message& old, const Namespace& changed) {
  api::FieldErrors errors = namespace_strategy().validate_update(old, changed);
  const api::FieldPath path = api::FieldPath("spec").child("finalizers");
  for (int i = 0; i < changed.spec().finalizers_size(); ++i) {
    api::validate_finalizer_name(errors, path.index(static_cast<size_t>(i)),
                                 changed.spec().finalizers(i));
  }
  return errors;
}

}  // namespace

Result<ObjectPtr> Server::try_finalize(const ObjectRef& ref, MutableObjectPtr object,
                                       const WriteOptions& options, WriteResult& result) {
  if (ref.kind != &api::kinds::namespace_()) {
    return fail(no_such_resource());
  }
  auto& changed = as<Namespace>(*object);
  auto& metadata = *changed.mutable_metadata();
  TRY_VOID(match_named_url(ref, metadata));
  TRY(const Stored stored, find(ref));
  const Strategy& strategy = namespace_strategy();
  const auto& old = as<Namespace>(*stored.object);
  if (!metadata.uid().empty() && metadata.uid() != old.metadata().uid()) {
    return fail(uid_mismatch(ref, metadata.uid(), old.metadata().uid()));
  }
  const store::Revision revision = stored.version->revision();
  TRY_VOID(check_version(ref, strategy.traits(), metadata, revision));
  restore_server_fields(old.metadata(), metadata);
  strategy.apply_defaults(changed, &old, context());
  *metadata.mutable_managed_fields() = old.metadata().managed_fields();
  *changed.mutable_status() = old.status();
  const api::FieldErrors errors = validate_finalize(old, changed);
  if (!errors.empty()) {
    return fail(errors.to_status(*ref.kind, ref.name));
  }
  metadata.set_resource_version(client::resource_version_of(old));
  if (is_released(strategy, changed)) {
    TRY_VOID(erase(ref, revision, std::make_unique<Namespace>(old), options));
    result.removed = true;
    return ObjectPtr(std::move(object));
  }
  if (is_stored_as(*ref.kind, changed, stored.version->bytes())) {
    return stored.object;
  }
  return put(ref, revision, std::move(object), options);
}

}  // namespace windlass::apiserver
