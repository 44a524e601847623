// YAML text to trees, one per document, through libyaml's events. Internal to the codec.
#pragma once

#include <string_view>
#include <vector>

#include "api/codec/yaml/yaml_node.h"

namespace windlass::api {

// The text is valid UTF-8 without a byte order mark.
Result<std::vector<YamlTree>> parse_yaml_trees(std::string_view text);

// The position of a byte: columns count characters.
SourcePosition position_of(std::string_view text, size_t offset);

}  // namespace windlass::api
