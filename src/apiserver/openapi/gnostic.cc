#include "apiserver/openapi/schema_json.h"

#include "apiserver/rest/answers/wire.h"
#include "base/json_writer.h"

namespace windlass::apiserver {
namespace {

// The fields of openapi.v2 that are written here.
namespace field {
constexpr int kDocumentSwagger = 1, kDocumentInfo = 2, kDocumentPaths = 8, kDocumentDefinitions = 9;
constexpr int kInfoTitle = 1, kInfoVersion = 2;
constexpr int kPathsPath = 2;
constexpr int kName = 1, kValue = 2;  // of everything called Named...
constexpr int kItemGet = 2, kItemPut = 3, kItemPost = 4, kItemDelete = 5, kItemPatch = 8;
constexpr int kOperationId = 5, kOperationConsumes = 7, kOperationParameters = 8,
              kOperationResponses = 9, kOperationExtension = 13;
constexpr int kFirst = 1;  // the only field that is used of a wrapper
constexpr int kNonBody = 2, kQuery = 3;
constexpr int kQueryIn = 2, kQueryDescription = 3, kQueryName = 4, kQueryType = 6;
constexpr int kResponseDescription = 1;
constexpr int kAnyYaml = 2;
constexpr int kSchemaRef = 1, kSchemaFormat = 2, kSchemaDescription = 4, kSchemaRequired = 19,
              kSchemaAdditional = 21, kSchemaType = 22, kSchemaItems = 23, kSchemaProperties = 25,
              kSchemaExtension = 31;
}  // namespace field

void add(int number, std::string_view bytes, std::string& out) {
  append_field(number, bytes, out);
}

// NamedSchema, NamedPathItem, NamedAny, ...
std::string named(std::string_view name, std::string_view value) {
  std::string out;
  add(field::kName, name, out);
  add(field::kValue, value, out);
  return out;
}

// An extension is YAML; JSON is YAML, too.
std::string extension(std::string_view name, std::string_view json) {
  std::string any;
  add(field::kAnyYaml, json, any);
  return named(name, any);
}

std::string wrapped(int number, std::string_view bytes) {
  std::string out;
  add(number, bytes, out);
  return out;
}

void add_type(std::string_view type, std::string& schema) {
  add(field::kSchemaType, wrapped(field::kFirst, type), schema);
}

void add_value(const Property& property, std::string& schema) {
  switch (property.type) {
    case ValueType::reference:
      add(field::kSchemaRef, "#/definitions/" + property.reference, schema);
      return;
    case ValueType::boolean:
      add_type("boolean", schema);
      return;
    case ValueType::int32:
      add(field::kSchemaFormat, "int32", schema);
      add_type("integer", schema);
      return;
    case ValueType::int64:
      add(field::kSchemaFormat, "int64", schema);
      add_type("integer", schema);
      return;
    case ValueType::bytes:
      add(field::kSchemaFormat, "byte", schema);
      add_type("string", schema);
      return;
    case ValueType::string:
      add_type("string", schema);
  }
}

void add_text_extension(std::string_view name, std::string_view value, std::string& schema) {
  if (!value.empty()) {
    std::string json;
    JsonWriter(json).string(value);
    add(field::kSchemaExtension, extension(name, json), schema);
  }
}

std::string property_schema(const Property& property) {
  std::string schema;
  add(field::kSchemaDescription, property.description, schema);
  if (property.cardinality == Cardinality::single) {
    add_value(property, schema);
  } else {
    std::string item;
    add_value(property, item);
    const std::string holder = wrapped(field::kFirst, item);
    if (property.cardinality == Cardinality::list) {
      add_type("array", schema);
      add(field::kSchemaItems, holder, schema);
    } else {
      add(field::kSchemaAdditional, holder, schema);
      add_type("object", schema);
    }
  }
  if (!property.list_map_keys.empty()) {
    std::string json;
    JsonWriter keys(json);
    keys.open_list();
    for (const std::string& key : property.list_map_keys) {
      keys.string(key);
    }
    keys.close_list();
    add(field::kSchemaExtension, extension("x-kubernetes-list-map-keys", json), schema);
  }
  add_text_extension("x-kubernetes-list-type", property.list_type, schema);
  add_text_extension("x-kubernetes-map-type", property.atomic_map ? "atomic" : "", schema);
  add_text_extension("x-kubernetes-patch-merge-key", property.merge_key, schema);
  add_text_extension("x-kubernetes-patch-strategy", property.patch_strategy, schema);
  return schema;
}

void add_scalar(Scalar scalar, std::string& schema) {
  if (scalar == Scalar::time || scalar == Scalar::micro_time) {
    add(field::kSchemaFormat, "date-time", schema);
  } else if (scalar == Scalar::int_or_string) {
    add(field::kSchemaFormat, "int-or-string", schema);
  }
  add_type(scalar == Scalar::any ? "object" : "string", schema);
}

std::string kinds_json(const Definition& definition) {
  std::string json;
  JsonWriter builder(json);
  builder.open_list();
  for (const auto& kind : definition.kinds) {
    builder.open_object().member("group", kind.group).member("kind", kind.kind);
    builder.member("version", kind.version).close_object();
  }
  builder.close_list();
  return json;
}

std::string definition_schema(const Definition& definition) {
  std::string schema;
  add(field::kSchemaDescription, definition.description, schema);
  if (definition.scalar != Scalar::none) {
    add_scalar(definition.scalar, schema);
    return schema;
  }
  for (const std::string& name : definition.required) {
    add(field::kSchemaRequired, name, schema);
  }
  add_type("object", schema);
  std::string properties;
  for (const Property& property : definition.properties) {
    add(field::kFirst, named(property.name, property_schema(property)), properties);
  }
  add(field::kSchemaProperties, properties, schema);
  if (!definition.kinds.empty()) {
    add(field::kSchemaExtension,
        extension("x-kubernetes-group-version-kind", kinds_json(definition)), schema);
  }
  return schema;
}

std::string parameter_bytes(const QueryParameter& parameter) {
  std::string query;
  add(field::kQueryIn, "query", query);
  add(field::kQueryDescription, parameter.description, query);
  add(field::kQueryName, parameter.name, query);
  add(field::kQueryType, parameter.type, query);
  return wrapped(field::kFirst, wrapped(field::kNonBody, wrapped(field::kQuery, query)));
}

std::string operation_bytes(const ServedPath& path, const PathOperation& operation) {
  const api::Kind& kind = *path.served->body;
  std::string bytes;
  add(field::kOperationId, std::string(operation.action) + std::string(kind.kind), bytes);
  for (const std::string_view type : consumed_types(operation.method)) {
    add(field::kOperationConsumes, type, bytes);
  }
  for (const QueryParameter& parameter : query_parameters(operation.method, path.item)) {
    add(field::kOperationParameters, parameter_bytes(parameter), bytes);
  }
  std::string response;
  add(field::kResponseDescription, "OK", response);
  add(field::kOperationResponses,
      wrapped(field::kFirst, named("200", wrapped(field::kFirst, response))), bytes);
  std::string json;
  JsonWriter builder(json);
  builder.open_object().member("group", kind.group).member("kind", kind.kind);
  builder.member("version", kind.version).close_object();
  add(field::kOperationExtension, extension("x-kubernetes-group-version-kind", json), bytes);
  return bytes;
}

int field_of_method(std::string_view method) {
  return method == "get"      ? field::kItemGet
         : method == "put"    ? field::kItemPut
         : method == "post"   ? field::kItemPost
         : method == "delete" ? field::kItemDelete
                              : field::kItemPatch;
}

}  // namespace

std::string gnostic_document(std::string_view title, std::string_view version,
                             const std::vector<const ServedVersion*>& served,
                             const std::vector<Definition>& definitions) {
  std::string document;
  add(field::kDocumentSwagger, "2.0", document);
  std::string info;
  add(field::kInfoTitle, title, info);
  add(field::kInfoVersion, version, info);
  add(field::kDocumentInfo, info, document);
  std::string paths;
  for (const ServedVersion* one : served) {
    for (const ServedPath& path : paths_of(*one)) {
      std::string item;
      for (const PathOperation& operation : path.operations) {
        add(field_of_method(operation.method), operation_bytes(path, operation), item);
      }
      add(field::kPathsPath, named(path.path, item), paths);
    }
  }
  add(field::kDocumentPaths, paths, document);
  std::string all;
  for (const Definition& definition : definitions) {
    add(field::kFirst, named(definition.name, definition_schema(definition)), all);
  }
  add(field::kDocumentDefinitions, all, document);
  return document;
}

}  // namespace windlass::apiserver
