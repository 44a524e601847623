// PUT namespaces/NAME/finalize: whoever has emptied a namespace takes spec.finalizers off it, and
// with the last one it goes (api.md N11).
#include <google/protobuf/message.h>

#include "apiserver/metadata_rules.h"
#include "apiserver/request_errors.h"
#include "apiserver/server.h"
#include "apiserver/strategies.h"
#include "schema/core/v1/namespace.pb.h"

namespace windlass::apiserver {

using api::core::v1::Namespace;

Result<ObjectPtr> Server::try_finalize(const ObjectRef& ref, const Message& object,
                                       const WriteOptions& options, Decision& decision) {
  if (ref.kind != &api::kinds::namespace_()) {
    return fail(no_such_resource());
  }
  TRY(const Stored stored, find(ref));
  const Strategy& strategy = namespace_strategy();
  const store::Revision revision = stored.version->revision();
  TRY_VOID(check_version(ref, strategy.traits(), api::metadata_of(object), revision));
  const auto& old = as<Namespace>(*stored.object);
  auto changed = std::make_unique<Namespace>(old);
  *changed->mutable_spec()->mutable_finalizers() = as<Namespace>(object).spec().finalizers();
  if (is_released(strategy, *changed)) {
    TRY_VOID(erase(ref, revision, std::make_unique<Namespace>(old), options));
    decision.removed = true;
    return ObjectPtr(std::move(changed));
  }
  if (changed->spec().finalizers_size() == old.spec().finalizers_size()) {
    return stored.object;
  }
  return put(ref, revision, std::move(changed), options);
}

}  // namespace windlass::apiserver
