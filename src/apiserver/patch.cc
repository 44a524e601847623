// PATCH: api.md M42, M90-M96, M110, M111. Every type of patch ends in the object as the client
// wants it, and goes on as an update does.
#include <google/protobuf/message.h>

#include "api/codec/json.h"
#include "api/codec/json_schema.h"
#include "api/patch/json_patch.h"
#include "api/patch/json_value.h"
#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"
#include "apiserver/body_type.h"
#include "apiserver/field_tracker.h"
#include "apiserver/finalizer_patch.h"
#include "apiserver/managed_fields.h"
#include "apiserver/metadata_rules.h"
#include "apiserver/object_parts.h"
#include "apiserver/request_errors.h"
#include "apiserver/server.h"
#include "base/check.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

struct Patched {
  std::string json = {};
  // Only these parts of the object are in `json`; empty: all of it is.
  std::vector<Part> parts = {};
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

// The whole object, or the patch. But who may patch a Secret has not thereby read it, and errors
// end up in logs.
std::string shown_in_errors(const api::Kind& kind, const Patched& patched) {
  if (&kind == &api::kinds::secret()) {
    return "[redacted]";
  }
  return patched.shown.empty() ? patched.json : patched.shown;
}

// The parts that the patch has something to say about, if it is about parts and nothing else.
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

Result<Patched> apply_strategic(const Message& whole, const api::Kind& kind,
                                std::string_view body) {
  const api::JsonStruct& type = api::json_struct(*whole.GetDescriptor());
  Result<api::JsonTree> patch = api::parse_json_value(body);
  if (!patch) {
    return fail(bad_request(patch.error().message));
  }
  if (!patch->value.is_object() && !patch->value.is_null()) {
    return fail(bad_request("json: cannot unmarshal " + std::string(json_type_name(patch->value)) +
                            " into Go value of type map[string]interface {}"));
  }
  std::vector<Part> parts = patched_parts(whole, patch->value);
  Result<api::JsonTree> object = api::parse_json_value(
      api::to_json(parts.empty() ? whole : *with_parts(whole, parts), kind.type_meta()));
  CHECK(object.has_value(), "our own JSON is good");
  TRY_VOID(api::apply_strategic_merge(object->value, patch->value, type));
  Patched patched{to_json_text(object->value), std::move(parts), api::go_text(patch->value),
                  std::move(patch->duplicates)};
  const std::string wrong = api::wrong_shape(object->value, type);
  if (!wrong.empty()) {
    return fail(undecodable(shown_in_errors(kind, patched), wrong));
  }
  return patched;
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
  switch (type) {
    case PatchType::json: {
      TRY(std::string json, api::apply_json_patch(api::to_json(object, kind.type_meta()), body));
      return Patched{.json = std::move(json)};
    }
    case PatchType::merge:
      return apply_merge(api::to_json(object, kind.type_meta()), body, options);
    case PatchType::strategic:
      return apply_strategic(object, kind, body);
    case PatchType::apply:
      break;
  }
  return fail(unsupported_media_type("415: Unsupported Media Type"));
}

// A JSON or merge patch works on the whole text, whose type is then read again. An object without
// an apiVersion is read as none of any version: nothing in it counts, as if the patch had emptied
// it. A strategic merge patch works on a value of the type, whatever it says of itself.
Result<void> check_patched_type(PatchType patch, const api::TypeMeta& given, const api::Kind& kind,
                                std::string_view shown, Message& object) {
  if (patch == PatchType::strategic) {
    return {};
  }
  if (given.api_version.empty()) {
    object.Clear();
    return {};
  }
  const std::string conflict = type_conflict(completed_type(given, kind), kind);
  return conflict.empty() ? Result<void>() : fail(undecodable(shown, conflict));
}

// The object as the patch wants it.
Result<std::unique_ptr<Message>> patched_object(const Message& stored, const api::Kind& kind,
                                                PatchType type, std::string_view body,
                                                const WriteOptions& options, Decision& decision) {
  TRY(const Patched patched, apply(type, stored, kind, body, options));
  const std::string shown = shown_in_errors(kind, patched);
  std::unique_ptr<Message> object = kind.make();
  const auto decoded = api::decode_json(patched.json, *object);
  if (!decoded) {
    return fail(undecodable(shown, decoded.error().message));
  }
  TRY_VOID(check_patched_type(type, decoded->type, kind, shown, *object));
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
  if (!patched.parts.empty()) {
    object = with_parts_of(stored, *object, patched.parts);
  }
  if (!api::metadata_of(stored).managed_fields().empty()) {
    keep_clearing(patched.json, api::mutable_metadata_of(*object));
  }
  return object;
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
  std::unique_ptr<Message> object =
      type == PatchType::strategic ? without_finalizers(*stored.object, body) : nullptr;
  if (object == nullptr) {
    TRY(object, patched_object(*stored.object, *ref.kind, type, body, options, decision));
  }
  TRY_VOID(match_named_url(ref, api::mutable_metadata_of(*object)));
  FieldTracker tracker(*ref.kind, subresource, options);
  return replace(ref, *strategy, status, stored, std::move(object), options, tracker, decision);
}

}  // namespace windlass::apiserver
