// PATCH with application/apply-patch+yaml, server-side apply: api.md M100-M105, M111.
#include <google/protobuf/message.h>

#include "api/codec/json/json.h"
#include "api/codec/json/json_schema.h"
#include "api/codec/json/json_tree.h"
#include "api/patch/typed_merge.h"
#include "api/validate_metadata.h"
#include "apiserver/field_manager/apply_conflicts.h"
#include "apiserver/field_manager/field_tracker.h"
#include "apiserver/server.h"
#include "apiserver/strategies/metadata_rules.h"
#include "apiserver/verbs/request_errors.h"
#include "base/quote.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

using api::JsonValue;

// As Go prints a GroupVersionKind: `batch/v1, Kind=Job`, `/v1, Kind=Pod`, `/, Kind=`.
std::string gvk_text(std::string_view api_version, std::string_view kind) {
  const bool core = api_version.find('/') == std::string_view::npos;
  return (core ? "/" : "") + std::string(api_version) + ", Kind=" + std::string(kind);
}

std::string text_of(const JsonValue& object, std::string_view name) {
  const JsonValue* member = object.find(name);
  return member != nullptr && member->is_string() ? member->text : "";
}

Result<void> check_yaml(const api::JsonTree& tree, const WriteOptions& options,
                        WriteResult& result) {
  for (const std::string& path : tree.duplicates) {
    if (options.field_validation == FieldValidation::strict) {
      return fail(
          bad_request("error strict decoding YAML: key " + quote(path) + " already set in map"));
    }
    if (options.field_validation == FieldValidation::warn) {
      result.add_warnings({"duplicate field " + quote(path)});
    }
  }
  if (!tree.value.is_object()) {
    return fail(bad_request("error decoding YAML: json: cannot unmarshal " +
                            std::string(json_type_name(tree.value)) +
                            " into Go value of type map[string]interface {}"));
  }
  return {};
}

// The configuration without its apiVersion and kind, once it is one for this kind.
Result<JsonValue> read_config(const api::Kind& kind, const PatchBody& body,
                              const WriteOptions& options, WriteResult& result) {
  if (!body.tree) {
    return fail(body.tree.error());
  }
  TRY_VOID(check_yaml(*body.tree, options, result));
  JsonValue config = body.tree->value;
  const std::string api_version = text_of(config, "apiVersion");
  const std::string name = text_of(config, "kind");
  if (api_version != kind.api_version() || name != kind.kind) {
    return fail(bad_request("invalid object type: " + gvk_text(api_version, name)));
  }
  config.members.erase("apiVersion");
  config.members.erase("kind");
  const JsonValue* metadata = config.find("metadata");
  const JsonValue* managed = metadata == nullptr ? nullptr : metadata->find("managedFields");
  if (managed != nullptr && !managed->is_null()) {
    return fail(bad_request("metadata.managedFields must be nil"));
  }
  const std::string errors =
      typed_errors(config, root_type(api::json_struct(*kind.prototype().GetDescriptor())));
  if (!errors.empty()) {
    static const JsonValue kNone;
    const JsonValue& given = metadata == nullptr ? kNone : *metadata;
    return fail(plain_error("failed to create typed patch object (" + text_of(given, "namespace") +
                            "/" + text_of(given, "name") + "; " + gvk_text(api_version, name) +
                            "): " + errors));
  }
  return config;
}

// The annotation lets a user go back to client-side apply.
void update_last_applied(const api::Kind& kind, const WriteOptions& options, JsonValue config,
                         api::meta::v1::ObjectMeta& metadata) {
  const auto annotation = metadata.mutable_annotations()->find(kLastApplied);
  if (options.field_manager != kKubectl || annotation == metadata.mutable_annotations()->end()) {
    return;
  }
  config.members.insert_or_assign("apiVersion", JsonValue::string(kind.api_version()));
  config.members.insert_or_assign("kind", JsonValue::string(kind.kind));
  JsonValue* given = config.find("metadata");
  JsonValue* annotations = given == nullptr ? nullptr : given->find("annotations");
  if (annotations != nullptr) {
    annotations->members.erase(kLastApplied);
  }
  std::string text = to_json_text(config) + "\n";
  if (text.size() < api::kMaxAnnotationBytes) {
    annotation->second = std::move(text);
  } else {
    metadata.mutable_annotations()->erase(annotation);
  }
}

Result<std::unique_ptr<Message>> new_object(const api::Kind& kind, const JsonValue& config) {
  std::unique_ptr<Message> object = kind.make();
  const auto decoded = api::decode_json_tree(config, *object);
  if (!decoded) {
    return fail(cannot_be_handled(kind.type_meta(), kind.kind, decoded.error()));
  }
  return object;
}

}  // namespace

Result<ObjectPtr> Server::try_apply(const ObjectRef& ref, const Strategy& strategy,
                                    std::string_view subresource, const PatchBody& body,
                                    const WriteOptions& options, WriteResult& result) {
  TRY(const JsonValue config, read_config(*ref.kind, body, options, result));
  FieldTracker tracker(*ref.kind, subresource, options);
  const Result<Stored> stored = find(ref);
  if (!stored) {
    if (!subresource.empty()) {
      return fail(stored.error());
    }
    TRY(MutableObjectPtr object, new_object(*ref.kind, config));
    if (const std::string& uid = api::metadata_of(*object).uid(); !uid.empty()) {
      return fail(conflict(resource_name(ref), "uid mismatch: the provided object specified uid " +
                                                   uid + ", and no existing object was found"));
    }
    tracker.apply_new(config);
    return try_create(ref, std::move(object), options, tracker, result);
  }
  TRY(MutableObjectPtr object, tracker.apply(*stored->object, config, clock_.now()));
  api::meta::v1::ObjectMeta& metadata = api::mutable_metadata_of(*object);
  TRY_VOID(match_url(ref, metadata));
  update_last_applied(*ref.kind, options, config, metadata);
  return replace(ref, strategy, subresource == "status", *stored, std::move(object), options,
                 tracker, result);
}

}  // namespace windlass::apiserver
