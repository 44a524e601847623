// YAML to JSON text as kubectl does it (sigs.k8s.io/yaml), with the line and column of every value.
// Bounded: aliases, depth and size have limits, so that no file can take the machine down.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::api {

struct SourcePosition {
  size_t line = 0;  // from 1
  size_t column = 0;
};

struct YamlDocument {
  std::string json;
  SourcePosition start;
  // Where each key (or list item) begins: `spec.template.spec.containers[0].image`.
  std::map<std::string, SourcePosition, std::less<>> positions;
  // Keys given twice in one mapping, by path, in document order. JSON then has the last value.
  std::vector<std::string> duplicate_keys;

  // The position of the path, or of its nearest parent that is in the document.
  SourcePosition find(std::string_view path) const;
};

// All documents of a stream; empty ones are left out. The error names line and column.
Result<std::vector<YamlDocument>> parse_yaml(std::string_view text);

// JSON text (as encode_json writes it) as block YAML, keys in the order they have.
Result<std::string> json_to_yaml(std::string_view json);

}  // namespace windlass::api
