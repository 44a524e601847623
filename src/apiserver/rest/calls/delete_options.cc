#include "apiserver/rest/calls/delete_options.h"

#include <google/protobuf/message.h>

#include "apiserver/rest/body.h"
#include "apiserver/rest/options.h"
#include "apiserver/verbs/deletion.h"
#include "schema/meta/v1/options.pb.h"

namespace windlass::apiserver {
namespace {

using DeleteMessage = api::meta::v1::DeleteOptions;

// With an empty body the query says it all.
Result<DeleteMessage> from_query(const http::Target& target) {
  DeleteMessage message;
  TRY(const auto grace, int_parameter(target, "gracePeriodSeconds"));
  if (grace) {
    message.set_grace_period_seconds(*grace);
  }
  if (const auto policy = target.parameter("propagationPolicy")) {
    message.set_propagation_policy(std::string(*policy));
  }
  if (const auto orphan = flag_parameter(target, "orphanDependents")) {
    message.set_orphan_dependents(*orphan);
  }
  for (std::string& value : list_parameter(target, "dryRun")) {
    message.add_dry_run(std::move(value));
  }
  if (std::string uid = text_parameter(target, "uid"); !uid.empty()) {
    message.mutable_preconditions()->set_uid(std::move(uid));
  }
  if (std::string version = text_parameter(target, "resourceVersion"); !version.empty()) {
    message.mutable_preconditions()->set_resource_version(std::move(version));
  }
  return message;
}

Result<DeleteMessage> read_message(const RestRequest& request) {
  if (request.http.body.empty()) {
    return from_query(request.target);
  }
  const api::Kind* kind = api::find_kind("v1", "DeleteOptions");
  TRY(const Body body, decode_body(request.http, *kind, FieldValidation::ignore));
  return static_cast<const DeleteMessage&>(*body.object);
}

const api::Kind& delete_options_kind() {
  static const api::Kind kind = [] {
    api::Kind made;
    made.group = "meta.k8s.io";
    made.kind = "DeleteOptions";
    return made;
  }();
  return kind;
}

}  // namespace

Result<DeleteRequest> read_delete_request(const RestRequest& request) {
  TRY(const DeleteMessage message, read_message(request));
  return check_delete_options(message);
}

Result<DeleteRequest> check_delete_options(const DeleteMessage& message) {
  DeleteRequest made;
  api::FieldErrors errors;
  if (message.has_orphan_dependents() && message.has_propagation_policy()) {
    errors.invalid(api::FieldPath("propagationPolicy"), message.propagation_policy(),
                   "orphanDependents and deletionPropagation cannot be both set");
  }
  if (message.has_propagation_policy()) {
    validate_propagation_policy(errors, message.propagation_policy());
  }
  const std::vector<std::string> dry_run(message.dry_run().begin(), message.dry_run().end());
  validate_dry_run(errors, dry_run);
  if (!errors.empty()) {
    return fail(errors.to_status(delete_options_kind(), ""));
  }
  made.write.dry_run = !dry_run.empty();
  if (message.has_grace_period_seconds()) {
    made.options.grace_period_seconds = message.grace_period_seconds();
  }
  made.options.propagation_policy = message.has_orphan_dependents()
                                        ? (message.orphan_dependents() ? "Orphan" : "Background")
                                        : message.propagation_policy();
  made.cascades = message.has_orphan_dependents() && !message.orphan_dependents();
  if (message.preconditions().has_uid()) {
    made.options.preconditions.uid = message.preconditions().uid();
  }
  if (message.preconditions().has_resource_version()) {
    made.options.preconditions.resource_version = message.preconditions().resource_version();
  }
  return made;
}

}  // namespace windlass::apiserver
