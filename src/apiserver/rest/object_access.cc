#include "apiserver/rest/object_access.h"

#include "apiserver/auth/authorizer.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

ObjectFacts facts_of(const api::Kind& kind, const Message& object) {
  ObjectFacts facts;
  facts.name = api::metadata_of(object).name();
  if (&kind == &api::kinds::pod()) {
    facts.node_name = static_cast<const api::core::v1::Pod&>(object).spec().node_name();
  }
  return facts;
}

}  // namespace

Result<void> check_before_read(RestContext& context, const RestRequest& request) {
  if (!request.check_object) {
    return {};
  }
  TRY(const ObjectPtr object, context.server.get(request.ref()));
  return check_object(request.user, request.info, facts_of(request.kind(), *object));
}

Result<void> check_before_write(RestContext& context, const RestRequest& request,
                                const ObjectRef& target) {
  if (!request.check_object) {
    return {};
  }
  TRY(const ObjectPtr object, context.server.newest(target));
  return check_object(request.user, request.info, facts_of(*target.kind, *object));
}

Result<void> check_new_object(const RestRequest& request, const Message& object) {
  if (!request.check_object) {
    return {};
  }
  return check_object(request.user, request.info, facts_of(request.kind(), object));
}

}  // namespace windlass::apiserver
