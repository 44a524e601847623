// PATCH: api.md M42, M90-M96, M110, M111. Every type of patch ends in the object as the client
// wants it, and goes on as an update does.
#include <google/protobuf/message.h>

#include "api/codec/json/json.h"
#include "api/codec/json/json_schema.h"
#include "api/codec/json/json_tree.h"
#include "api/patch/json_patch.h"
#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"
#include "apiserver/field_manager/field_tracker.h"
#include "apiserver/field_manager/managed_fields.h"
#include "apiserver/server.h"
#include "apiserver/strategies/metadata_rules.h"
#include "apiserver/verbs/body_type.h"
#include "apiserver/verbs/finalizer_patch.h"
#include "apiserver/verbs/object_parts.h"
#include "apiserver/verbs/request_errors.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

// M95: an error about the result, printed whole, of a kind without a name.
Status undecodable(std::string_view shown, std::string_view why) {
  api::FieldErrors errors;
  errors.invalid(api::FieldPath("patch"), api::BadValue(shown), why);
  Status status = errors.to_status(api::Kind(), "");
  status.details.name.clear();
  status.details.kind.clear();
  return status;
}

Result<void> apply_patch(api::JsonValue& object, const PatchBody& body,
                         const api::JsonStruct& type) {
  const api::JsonValue& patch = body.tree->value;
  switch (body.type) {
    case PatchType::json:
      return api::apply_json_patch(object, patch);
    case PatchType::merge:
      return api::apply_merge_patch(object, patch);
    case PatchType::strategic:
      if (!patch.is_object() && !patch.is_null()) {
        return fail(bad_request("json: cannot unmarshal " + std::string(json_type_name(patch)) +
                                " into Go value of type map[string]interface {}"));
      }
      return api::apply_strategic_merge(object, patch, type);
    case PatchType::apply:
      break;
  }
  return fail(unsupported_media_type("415: Unsupported Media Type"));
}

// The whole result, or the strategic merge patch. A user who may patch a Secret may still not read
// it, and errors end up in logs.
std::string shown_in_errors(const Message& stored, const api::Kind& kind, const PatchBody& body) {
  if (&kind == &api::kinds::secret()) {
    return "[redacted]";
  }
  if (body.type == PatchType::strategic) {
    return api::go_text(body.tree->value);
  }
  api::JsonValue whole = api::to_json_tree(stored, kind.type_meta());
  static_cast<void>(apply_patch(whole, body, api::json_struct(*stored.GetDescriptor())));
  return to_json_text(whole);
}

// The parts that the patch has members for, if it has members for parts and nothing else.
std::vector<Part> patched_parts(const Message& object, const api::JsonValue& patch) {
  std::vector<Part> parts;
  if (!consists_of_parts(object)) {
    return parts;
  }
  for (const auto& [name, value] : patch.members) {
    const Part part = find_part(object, name);
    if (part == nullptr) {
      return {};  // a directive, apiVersion, or a mistake
    }
    parts.push_back(part);
  }
  return parts;
}

// A JSON or merge patch can change the type, too. An object without an apiVersion is of no version,
// so it is read as an empty one. A strategic merge patch works on a value of the type, whatever it
// says of itself. Returns the error, or "".
std::string check_patched_type(PatchType patch, const api::TypeMeta& given, const api::Kind& kind,
                               Message& object) {
  if (patch == PatchType::strategic) {
    return "";
  }
  if (given.api_version.empty()) {
    object.Clear();
    return "";
  }
  return type_conflict(completed_type(given, kind), kind);
}

// The object as the patch wants it. Only the parts that the patch is about become a tree.
Result<std::unique_ptr<Message>> patched_object(const Message& stored, const api::Kind& kind,
                                                const PatchBody& body, const WriteOptions& options,
                                                WriteResult& result) {
  if (!body.tree) {
    return fail(body.tree.error());
  }
  const api::JsonStruct& type = api::json_struct(*stored.GetDescriptor());
  const std::vector<Part> parts = patched_parts(stored, body.tree->value);
  api::JsonValue tree = parts.empty() ? api::to_json_tree(stored, kind.type_meta())
                                      : api::to_json_tree(stored, kind.type_meta(), parts);
  TRY_VOID(apply_patch(tree, body, type));
  const auto refuse = [&](std::string_view why) {
    return fail(undecodable(shown_in_errors(stored, kind, body), why));
  };
  if (body.type == PatchType::strategic) {
    if (const std::string wrong = api::wrong_shape(tree, type); !wrong.empty()) {
      return refuse(wrong);
    }
  }
  std::unique_ptr<Message> object = kind.make();
  const auto decoded = api::decode_json_tree(tree, *object);
  if (!decoded) {
    return refuse(decoded.error().message);
  }
  const std::string conflict = check_patched_type(body.type, decoded->type, kind, *object);
  if (!conflict.empty()) {
    return refuse(conflict);
  }
  std::vector<api::FieldProblem> problems = decoded->problems;
  if (body.type != PatchType::json) {
    for (const std::string& path : body.tree->duplicates) {
      problems.push_back({api::FieldProblem::Type::duplicate, path, ""});
    }
  }
  if (!problems.empty() && options.field_validation == FieldValidation::strict) {
    return refuse(api::strict_error_text(problems));
  }
  if (options.field_validation == FieldValidation::warn) {
    for (const api::FieldProblem& problem : problems) {
      result.add_warnings({problem.text()});
    }
  }
  if (!parts.empty()) {
    copy_other_parts(stored, parts, *object);
  }
  if (!api::metadata_of(stored).managed_fields().empty()) {
    keep_reset_request(tree, api::mutable_metadata_of(*object));
  }
  return object;
}

}  // namespace

WriteResult Server::patch(const ObjectRef& ref, std::string_view subresource, const PatchBody& body,
                          const WriteOptions& options) {
  WriteResult result;
  Result<ObjectPtr> answer = try_patch(ref, subresource, body, options, result);
  return finished(std::move(result), std::move(answer));
}

Result<ObjectPtr> Server::try_patch(const ObjectRef& ref, std::string_view subresource,
                                    const PatchBody& body, const WriteOptions& options,
                                    WriteResult& result) {
  const Strategy* strategy = find_strategy(*ref.kind);
  const bool status = subresource == "status";
  if (strategy == nullptr || (status ? !strategy->traits().has_status : !subresource.empty())) {
    return fail(no_such_resource());
  }
  if (body.type == PatchType::apply) {
    return try_apply(ref, *strategy, subresource, body, options, result);
  }
  TRY(const Stored stored, find(ref));
  std::unique_ptr<Message> object = body.type == PatchType::strategic && body.tree
                                        ? without_finalizers(*stored.object, *body.tree)
                                        : nullptr;
  if (object == nullptr) {
    TRY(object, patched_object(*stored.object, *ref.kind, body, options, result));
  }
  TRY_VOID(match_named_url(ref, api::mutable_metadata_of(*object)));
  FieldTracker tracker(*ref.kind, subresource, options);
  return replace(ref, *strategy, status, stored, std::move(object), options, tracker, result);
}

}  // namespace windlass::apiserver
