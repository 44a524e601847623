#include "apiserver/evict_request.h"

#include <google/protobuf/message.h>

#include <algorithm>

#include "apiserver/strategies.h"
#include "schema/policy/v1/eviction.pb.h"

namespace windlass::apiserver {
namespace {

DeleteOptions delete_options(const api::meta::v1::DeleteOptions& sent) {
  DeleteOptions options;
  if (sent.has_grace_period_seconds()) {
    options.grace_period_seconds = sent.grace_period_seconds();
  }
  options.propagation_policy = sent.propagation_policy();
  if (sent.preconditions().has_uid()) {
    options.preconditions.uid = sent.preconditions().uid();
  }
  if (sent.preconditions().has_resource_version()) {
    options.preconditions.resource_version = sent.preconditions().resource_version();
  }
  return options;
}

Decision refuse(Status status) {
  Decision decision;
  decision.answer = fail(std::move(status));
  return decision;
}

}  // namespace

Decision evict_by_request(Server& server, const ObjectRef& pod, const Message& eviction,
                          const WriteOptions& options) {
  const auto& sent = as<api::policy::v1::Eviction>(eviction).delete_options();
  WriteOptions write = options;
  const auto& in_body = sent.dry_run();
  const bool all = std::ranges::all_of(in_body, [](const auto& value) { return value == "All"; });
  if (!all && options.dry_run) {
    std::string values;
    for (const std::string& value : in_body) {
      values += (values.empty() ? "" : " ") + value;
    }
    return refuse(plain_error("Non-matching dry-run options in request and content: [All] and [" +
                              values + "]"));
  }
  if (!all) {
    api::FieldErrors errors;
    validate_dry_run(errors, {in_body.begin(), in_body.end()});
    api::Kind kind;
    kind.group = "meta.k8s.io";
    kind.kind = "DeleteOptions";
    return refuse(errors.to_status(kind, ""));
  }
  write.dry_run = options.dry_run || !in_body.empty();
  return server.evict(pod, delete_options(sent), write);
}

}  // namespace windlass::apiserver
