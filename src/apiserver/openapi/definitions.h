// The API schema as OpenAPI sees it, worked out from the descriptors and the options of
// proto/options.proto: what becomes JSON (OpenAPI v2 and v3) and protobuf (v2) later. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/discovery/served.h"

namespace windlass::apiserver {

// What one value of a property, or of its items, is.
enum class ValueType { boolean, int32, int64, string, bytes, reference };
enum class Cardinality { single, list, map };

struct Property {
  std::string name;
  std::string description;
  ValueType type = ValueType::string;
  Cardinality cardinality = Cardinality::single;
  std::string reference = {};  // name of a definition
  bool has_default = false;    // a value that is always there: {} or ""
  std::string list_type = {};  // atomic, set, map
  std::vector<std::string> list_map_keys = {};
  bool atomic_map = false;
  std::string merge_key = {};
  std::string patch_strategy = {};  // merge; merge,retainKeys; replace
};

// Messages that are one JSON value.
enum class Scalar { none, time, micro_time, quantity, int_or_string, any };

struct Definition {
  std::string name;  // io.k8s.api.batch.v1.Job
  std::string description;
  Scalar scalar = Scalar::none;
  std::vector<Property> properties = {};
  std::vector<std::string> required = {};
  // Kinds that this is the schema of: a kind, a list, or options that go with every group.
  struct GroupVersionKind {
    std::string group;
    std::string version;
    std::string kind;
  };
  std::vector<GroupVersionKind> kinds = {};
};

// The body of a PATCH, whose form its content type tells. No message stands for it.
inline constexpr std::string_view kPatchDefinition = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";

// Everything the resources of these versions mention, by name.
std::vector<Definition> collect_definitions(const std::vector<const ServedVersion*>& versions);

// The definition of a kind, and of its list.
std::string definition_name(const api::Message& prototype);

}  // namespace windlass::apiserver
