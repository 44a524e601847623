#include "apiserver/openapi/schema_json.h"

namespace windlass::apiserver {
namespace {

std::string_view reference_prefix(OpenApiVersion version) {
  return version == OpenApiVersion::v3 ? "#/components/schemas/" : "#/definitions/";
}

void append_reference(const std::string& name, OpenApiVersion version, JsonWriter& json) {
  json.member("$ref", std::string(reference_prefix(version)) + name);
}

void append_type(ValueType type, JsonWriter& json) {
  switch (type) {
    case ValueType::boolean:
      json.member("type", "boolean");
      return;
    case ValueType::int32:
      json.member("type", "integer").member("format", "int32");
      return;
    case ValueType::int64:
      json.member("type", "integer").member("format", "int64");
      return;
    case ValueType::bytes:
      json.member("type", "string").member("format", "byte");
      return;
    default:
      json.member("type", "string");
  }
}

// One value: a scalar, or a reference. Beside a reference v3 allows nothing, so it wraps it.
void append_value(const Property& property, OpenApiVersion version, bool has_siblings,
                  JsonWriter& json) {
  if (property.type != ValueType::reference) {
    append_type(property.type, json);
  } else if (version == OpenApiVersion::v3 && has_siblings) {
    json.key("allOf").open_list().open_object();
    append_reference(property.reference, version, json);
    json.close_object().close_list();
  } else {
    append_reference(property.reference, version, json);
  }
}

void append_item(const Property& property, OpenApiVersion version, JsonWriter& json) {
  json.open_object();
  append_value(property, version, false, json);
  json.close_object();
}

void append_extensions(const Property& property, JsonWriter& json) {
  if (!property.list_map_keys.empty()) {
    json.strings("x-kubernetes-list-map-keys", property.list_map_keys);
  }
  if (!property.list_type.empty()) {
    json.member("x-kubernetes-list-type", property.list_type);
  }
  if (property.atomic_map) {
    json.member("x-kubernetes-map-type", "atomic");
  }
  if (!property.merge_key.empty()) {
    json.member("x-kubernetes-patch-merge-key", property.merge_key);
  }
  if (!property.patch_strategy.empty()) {
    json.member("x-kubernetes-patch-strategy", property.patch_strategy);
  }
}

void append_property(const Property& property, OpenApiVersion version, JsonWriter& json) {
  json.key(property.name).open_object();
  if (!property.description.empty()) {
    json.member("description", property.description);
  }
  switch (property.cardinality) {
    case Cardinality::list:
      json.member("type", "array").key("items");
      append_item(property, version, json);
      break;
    case Cardinality::map:
      json.member("type", "object").key("additionalProperties");
      append_item(property, version, json);
      break;
    case Cardinality::single:
      if (property.type == ValueType::reference && property.has_default &&
          version == OpenApiVersion::v3) {
        json.key("default").open_object().close_object();
      }
      append_value(property, version, true, json);
  }
  append_extensions(property, json);
  json.close_object();
}

void append_scalar(Scalar scalar, OpenApiVersion version, JsonWriter& json) {
  switch (scalar) {
    case Scalar::time:
    case Scalar::micro_time:
      json.member("type", "string").member("format", "date-time");
      return;
    case Scalar::quantity:
      if (version == OpenApiVersion::v3) {
        json.key("oneOf").open_list().open_object().member("type", "string").close_object();
        json.open_object().member("type", "number").close_object().close_list();
      } else {
        json.member("type", "string");
      }
      return;
    case Scalar::int_or_string:
      if (version == OpenApiVersion::v3) {
        json.key("oneOf").open_list().open_object().member("type", "integer").close_object();
        json.open_object().member("type", "string").close_object().close_list();
        json.member("format", "int-or-string");
      } else {
        json.member("type", "string").member("format", "int-or-string");
      }
      return;
    default:
      json.member("type", "object");
  }
}

}  // namespace

void append_definition(const Definition& definition, OpenApiVersion version, JsonWriter& json) {
  json.open_object();
  if (!definition.description.empty()) {
    json.member("description", definition.description);
  }
  if (definition.scalar != Scalar::none) {
    append_scalar(definition.scalar, version, json);
    json.close_object();
    return;
  }
  json.member("type", "object");
  if (!definition.required.empty()) {
    json.strings("required", definition.required);
  }
  if (!definition.properties.empty()) {
    json.key("properties").open_object();
    for (const Property& property : definition.properties) {
      append_property(property, version, json);
    }
    json.close_object();
  }
  if (!definition.kinds.empty()) {
    json.key("x-kubernetes-group-version-kind").open_list();
    for (const auto& kind : definition.kinds) {
      json.open_object().member("group", kind.group).member("kind", kind.kind);
      json.member("version", kind.version).close_object();
    }
    json.close_list();
  }
  json.close_object();
}

}  // namespace windlass::apiserver
