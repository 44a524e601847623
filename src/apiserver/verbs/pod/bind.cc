// POST pods/NAME/binding: api.md P80-P83.
#include <google/protobuf/message.h>

#include "api/codec/wire_time.h"
#include "api/pod/pod_condition.h"
#include "apiserver/server.h"
#include "apiserver/verbs/request_errors.h"
#include "base/quote.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

// Not a 422 but a plain 500, whatever the reason (P81).
Result<void> validate_binding(const BindRequest& request) {
  api::FieldErrors errors;
  const api::FieldPath target("target");
  if (!request.target_kind.empty() && request.target_kind != "Node") {
    errors.not_supported(target.child("kind"), request.target_kind, {"Node", "<empty>"});
  }
  if (request.node.empty()) {
    errors.required(target.child("name"));
  }
  if (errors.empty()) {
    return {};
  }
  std::string message;
  for (const api::FieldError& error : errors.all()) {
    message += (message.empty() ? "" : ", ") + error.text();
  }
  return fail(plain_error(errors.size() == 1 ? message : "[" + message + "]"));
}

// P82. Empty when the pod may be bound.
std::string why_not(const api::core::v1::Pod& pod) {
  const std::string& name = pod.metadata().name();
  if (pod.metadata().has_deletion_timestamp()) {
    return "pod " + name + " is being deleted, cannot be assigned to a host";
  }
  if (!pod.spec().node_name().empty()) {
    return "pod " + name + " is already assigned to node " + quote(pod.spec().node_name());
  }
  if (!pod.spec().scheduling_gates().empty()) {
    return "pod " + name + " has non-empty .spec.schedulingGates";
  }
  return "";
}

}  // namespace

WriteResult Server::bind(const ObjectRef& pod, const BindRequest& request,
                         const WriteOptions& options) {
  Result<ObjectPtr> answer = try_bind(pod, request, options);
  return finished({}, std::move(answer));
}

Result<ObjectPtr> Server::try_bind(const ObjectRef& ref, const BindRequest& request,
                                   const WriteOptions& options) {
  if (ref.kind != &api::kinds::pod()) {
    return fail(no_such_resource());
  }
  TRY_VOID(validate_binding(request));
  TRY(const Stored stored, find(ref));
  const auto& old = static_cast<const api::core::v1::Pod&>(*stored.object);
  if (!request.uid.empty() && request.uid != old.metadata().uid()) {
    return fail(uid_mismatch(ref, request.uid, old.metadata().uid()));
  }
  if (!request.resource_version.empty() &&
      request.resource_version != old.metadata().resource_version()) {
    return fail(version_mismatch(ref, request.resource_version, old.metadata().resource_version()));
  }
  if (const std::string why = why_not(old); !why.empty()) {
    return fail(conflict({"", "pods/binding", ref.name}, why));
  }
  auto pod = std::make_unique<api::core::v1::Pod>(old);
  pod->mutable_spec()->set_node_name(request.node);
  for (const auto& [name, value] : request.annotations) {
    (*pod->mutable_metadata()->mutable_annotations())[name] = value;
  }
  pod->mutable_status()->clear_nominated_node_name();
  api::set_pod_condition(*pod, "PodScheduled", "True", clock_.now(), "", "",
                         api::ConditionGeneration::absent);
  return put(ref, stored.version->revision(), std::move(pod), options);
}

}  // namespace windlass::apiserver
