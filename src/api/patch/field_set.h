// A set of fields of an object, as metadata.managedFields has it (FieldsV1): a tree of path
// elements, each written as it stands there: f:spec, k:{"name":"c"}, v:"x", i:0. Plain data; any
// thread. Never deeper than kMaxFieldDepth, so that an object with its sets is still JSON.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::api {

inline constexpr size_t kMaxFieldDepth = 100;

struct FieldSet {
  using Children = std::map<std::string, FieldSet, std::less<>>;

  bool member = false;  // the path that leads here is in the set
  Children children = {};

  bool empty() const { return !member && children.empty(); }
  const FieldSet* find(std::string_view element) const;
  bool operator==(const FieldSet&) const = default;
};

// `{"f:spec":{"f:parallelism":{}}}`. Anything else is an error.
Result<FieldSet> parse_field_set(std::string_view json);
std::string to_fields_v1(const FieldSet& set);

// Paths that are in one of them, in both, in the first only.
void unite(FieldSet& set, FieldSet more);
FieldSet intersection(const FieldSet& a, const FieldSet& b);
void subtract(FieldSet& set, const FieldSet& less);
// Everything at and below the paths of `roots` goes.
void cut(FieldSet& set, const FieldSet& roots);

// All paths in the set, as Kubernetes prints them: .spec.containers[name="c"].image
std::vector<std::string> path_texts(const FieldSet& set);

}  // namespace windlass::api
