// YAML to JSON text as kubectl does it (sigs.k8s.io/yaml), with the line and column of every value.
// JSON is read too, by a scanner of its own. Bounded: size, depth, values and what aliases expand
// to have limits, so that no file can take the machine down. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/source_map.h"
#include "base/result.h"

namespace windlass::api {

inline constexpr size_t kMaxYamlBytes = 16U << 20;      // of a whole stream
inline constexpr size_t kMaxYamlDepth = 1000;           // as JSON
inline constexpr size_t kMaxYamlValues = 1'000'000;     // of one stream, aliases expanded
inline constexpr size_t kMaxYamlJsonBytes = 32U << 20;  // of one stream as JSON
inline constexpr size_t kMaxYamlDuplicateKeys = 100;    // reported per document

struct YamlDocument {
  std::string json;
  SourcePosition start;
  // Where each key, or list item, begins.
  SourceMap positions;
  // Keys given twice in one mapping, by path, in document order. JSON then has the last value.
  std::vector<std::string> duplicate_keys;

  // The position of the path, or of its nearest parent that is in the document.
  SourcePosition find(std::string_view path) const { return positions.find(path); }
};

// What the documents of one stream may still grow to when aliases are expanded.
struct YamlBudget {
  size_t values = kMaxYamlValues;
  size_t json_bytes = kMaxYamlJsonBytes;
};

// All documents of a stream, or all values of a JSON stream; empty documents are left out. The
// error names line and column.
Result<std::vector<YamlDocument>> parse_yaml(std::string_view text, YamlBudget budget = {});

// JSON text (as encode_json writes it) as block YAML, keys in the order they have.
Result<std::string> json_to_yaml(std::string_view json);

}  // namespace windlass::api
