// PATCH: api.md M42, M90, M92, M95. The other patch types are refused until they are built.
#include <google/protobuf/message.h>

#include "api/codec/json.h"
#include "api/codec/merge_patch.h"
#include "apiserver/metadata_rules.h"
#include "apiserver/request_errors.h"
#include "apiserver/server.h"

namespace windlass::apiserver {
namespace {

// M95: an error about the result, printed whole, of a kind without a name.
Status undecodable(std::string_view json, std::string_view why) {
  api::FieldErrors errors;
  errors.invalid(api::FieldPath("patch"), api::BadValue(json), why);
  Status status = errors.to_status(api::Kind(), "");
  status.details.name.clear();
  status.details.kind.clear();
  return status;
}

}  // namespace

Decision Server::patch(const ObjectRef& ref, std::string_view subresource, PatchType type,
                       std::string_view body, const WriteOptions& options) {
  Decision decision;
  Result<ObjectPtr> answer = try_patch(ref, subresource, type, body, options, decision);
  return decided(std::move(decision), std::move(answer));
}

Result<ObjectPtr> Server::try_patch(const ObjectRef& ref, std::string_view subresource,
                                    PatchType type, std::string_view body,
                                    const WriteOptions& options, Decision& decision) {
  const Strategy* strategy = find_strategy(*ref.kind);
  const bool status = subresource == "status";
  if (strategy == nullptr || (status ? !strategy->traits().has_status : !subresource.empty())) {
    return fail(no_such_resource());
  }
  if (type != PatchType::merge) {
    return fail(unsupported_media_type("415: Unsupported Media Type"));
  }
  TRY(const Stored stored, find(ref));
  TRY(const std::string patched,
      api::apply_merge_patch(api::to_json(*stored.object, ref.kind->type_meta()), body));
  std::unique_ptr<Message> object = ref.kind->make();
  const auto decoded = api::decode_json(patched, *object);
  if (!decoded) {
    return fail(undecodable(patched, decoded.error().message));
  }
  for (const api::FieldProblem& problem : decoded->problems) {
    decision.add_warnings({problem.text()});
  }
  TRY_VOID(match_url(ref, api::mutable_metadata_of(*object)));
  return replace(ref, *strategy, status, stored, std::move(object), options, decision);
}

}  // namespace windlass::apiserver
