// JSON text to the same trees that YAML gives: quicker than libyaml, and strict about numbers.
// Internal to the codec.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/codec/yaml/yaml_node.h"

namespace windlass::api {

// The values of a stream of JSON objects and arrays with nothing but white space between them.
// Nothing when the text is not such a stream (it may still be YAML); an error when it is nested too
// deeply or has too many values.
Result<std::optional<std::vector<YamlTree>>> parse_json_trees(std::string_view text);

// A text that is exactly one JSON value of any kind; syntax errors in Go's words.
Result<YamlTree> parse_json_tree(std::string_view text);

}  // namespace windlass::api
