#include "apiserver/verbs/patch_body.h"

#include "api/codec/yaml/yaml.h"

namespace windlass::apiserver {
namespace {

Result<api::JsonTree> read_yaml(std::string_view body) {
  Result<std::vector<api::YamlDocument>> documents = api::parse_yaml(body);
  if (!documents) {
    return fail(bad_request("error decoding YAML: " + documents.error().message));
  }
  if (documents->empty()) {
    return api::JsonTree{api::JsonValue::object(), {}};
  }
  Result<api::JsonTree> tree = api::parse_json_value(documents->front().json);
  if (!tree) {
    return fail(bad_request("error decoding YAML: " + tree.error().message));
  }
  tree->duplicates = std::move(documents->front().duplicate_keys);
  return tree;
}

Result<api::JsonTree> read_json(client::PatchType type, std::string_view body) {
  Result<api::JsonTree> tree = api::parse_json_value(body);
  if (!tree && type != client::PatchType::strategic) {
    return fail(api::bad_patch(tree.error().message));
  }
  return tree;
}

}  // namespace

PatchBody read_patch(client::PatchType type, std::string_view body) {
  return {type, type == client::PatchType::apply ? read_yaml(body) : read_json(type, body)};
}

}  // namespace windlass::apiserver
