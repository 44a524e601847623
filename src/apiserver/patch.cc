// PATCH: api.md M42, M90-M96, M110, M111. Every type of patch ends in the object as the client
// wants it, and goes on as an update does.
#include <google/protobuf/message.h>

#include "api/codec/json.h"
#include "api/codec/json_schema.h"
#include "api/patch/json_patch.h"
#include "api/patch/json_value.h"
#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"
#include "apiserver/field_tracker.h"
#include "apiserver/metadata_rules.h"
#include "apiserver/request_errors.h"
#include "apiserver/server.h"
#include "base/check.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

struct Patched {
  std::string json = {};
  std::string shown = {};                    // in errors about the result; empty: `json`
  std::vector<std::string> duplicates = {};  // members that the patch has twice
};

// M95: an error about the result, printed whole, of a kind without a name.
Status undecodable(std::string_view shown, std::string_view why) {
  api::FieldErrors errors;
  errors.invalid(api::FieldPath("patch"), api::BadValue(shown), why);
  Status status = errors.to_status(api::Kind(), "");
  status.details.name.clear();
  status.details.kind.clear();
  return status;
}

// The whole object, or the patch; but who may patch a Secret has not thereby read it.
std::string shown_in_errors(const api::Kind& kind, const Patched& patched) {
  if (!patched.shown.empty()) {
    return patched.shown;
  }
  return &kind == &api::kinds::secret() ? "[redacted]" : patched.json;
}

Result<Patched> apply_strategic(const std::string& target, std::string_view body,
                                const api::JsonStruct& type) {
  Result<api::JsonTree> patch = api::parse_json_value(body);
  if (!patch) {
    return fail(bad_request("error decoding patch: " + patch.error().message));
  }
  if (!patch->value.is_object() && !patch->value.is_null()) {
    return fail(bad_request("error decoding patch: json: cannot unmarshal " +
                            std::string(json_type_name(patch->value)) +
                            " into Go value of type map[string]interface {}"));
  }
  Result<api::JsonTree> object = api::parse_json_value(target);
  CHECK(object.has_value(), "our own JSON is good");
  TRY_VOID(api::apply_strategic_merge(object->value, patch->value, type));
  const std::string shown = api::go_text(patch->value);
  const std::string wrong = api::wrong_shape(object->value, type);
  if (!wrong.empty()) {
    return fail(undecodable(shown, wrong));
  }
  return Patched{to_json_text(object->value), shown, std::move(patch->duplicates)};
}

Result<Patched> apply_merge(const std::string& target, std::string_view body,
                            const WriteOptions& options) {
  TRY(std::string json, api::apply_merge_patch(target, body));
  Patched patched{.json = std::move(json)};
  if (options.field_validation != FieldValidation::ignore) {
    if (Result<api::JsonTree> patch = api::parse_json_value(body)) {
      patched.duplicates = std::move(patch->duplicates);
    }
  }
  return patched;
}

Result<Patched> apply(PatchType type, const Message& object, const api::Kind& kind,
                      std::string_view body, const WriteOptions& options) {
  const std::string target = api::to_json(object, kind.type_meta());
  switch (type) {
    case PatchType::json: {
      TRY(std::string json, api::apply_json_patch(target, body));
      return Patched{.json = std::move(json)};
    }
    case PatchType::merge:
      return apply_merge(target, body, options);
    case PatchType::strategic:
      return apply_strategic(target, body, api::json_struct(*object.GetDescriptor()));
    case PatchType::apply:
      break;
  }
  return fail(unsupported_media_type("415: Unsupported Media Type"));
}

// M105: an empty list of managedFields clears them, but a message does not tell it from none.
void keep_clearing(const Message& stored, std::string_view json, Message& object) {
  const auto& before = api::metadata_of(stored).managed_fields();
  auto& metadata = api::mutable_metadata_of(object);
  if (before.empty() || !metadata.managed_fields().empty()) {
    return;
  }
  const Result<api::JsonTree> tree = api::parse_json_value(json);
  const api::JsonValue* member = tree ? tree->value.find("metadata") : nullptr;
  const api::JsonValue* fields = member != nullptr ? member->find("managedFields") : nullptr;
  if (fields != nullptr && fields->is_array()) {
    metadata.add_managed_fields();
  }
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
  if (type == PatchType::apply) {
    return try_apply(ref, *strategy, subresource, body, options, decision);
  }
  TRY(const Stored stored, find(ref));
  TRY(const Patched patched, apply(type, *stored.object, *ref.kind, body, options));
  const std::string shown = shown_in_errors(*ref.kind, patched);
  std::unique_ptr<Message> object = ref.kind->make();
  const auto decoded = api::decode_json(patched.json, *object);
  if (!decoded) {
    return fail(undecodable(shown, decoded.error().message));
  }
  std::vector<api::FieldProblem> problems = decoded->problems;
  for (const std::string& path : patched.duplicates) {
    problems.push_back({api::FieldProblem::Type::duplicate, path, ""});
  }
  if (!problems.empty() && options.field_validation == FieldValidation::strict) {
    return fail(undecodable(shown, api::strict_error_text(problems)));
  }
  if (options.field_validation == FieldValidation::warn) {
    for (const api::FieldProblem& problem : problems) {
      decision.add_warnings({problem.text()});
    }
  }
  keep_clearing(*stored.object, patched.json, *object);
  TRY_VOID(match_url(ref, api::mutable_metadata_of(*object)));
  FieldTracker tracker(*ref.kind, subresource, options);
  return replace(ref, *strategy, status, stored, std::move(object), options, tracker, decision);
}

}  // namespace windlass::apiserver
