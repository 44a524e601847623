// The second half of parse_yaml: a tree with its aliases, merge keys and plain scalars becomes JSON
// text and a source map. Internal to the codec.
#pragma once

#include "api/codec/yaml/yaml.h"
#include "api/codec/yaml/yaml_node.h"

namespace windlass::api {

// What the documents of one stream may still grow to when aliases are expanded.
struct YamlBudget {
  size_t values = kMaxYamlValues;
  size_t json_bytes = kMaxYamlJsonBytes;
};

Result<YamlDocument> yaml_to_json(const YamlTree& tree, YamlBudget& budget);

}  // namespace windlass::api
