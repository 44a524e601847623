// The values of one document as they stand in the source, before aliases are expanded and scalars
// resolved. Both front ends (libyaml and JSON) build it; yaml_to_json turns it into a YamlDocument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/source_map.h"
#include "api/codec/yaml/yaml.h"
#include "base/result.h"

namespace windlass::api {

using YamlNodeId = uint32_t;
inline constexpr YamlNodeId kNoYamlNode = UINT32_MAX;

// An explicit tag of YAML's own types; others say nothing here.
enum class YamlTag : uint8_t { none, boolean, integer, floating, null, timestamp, merge };

struct YamlNode {
  enum class Type : uint8_t {
    mapping,   // children: key, value, key, value ...
    sequence,  // children: the items
    plain,     // a scalar whose text decides what it is
    string,    // a scalar that is a string, whatever it looks like
    json,      // a JSON number or literal, to be kept as it is
    alias,     // of `target`
  };

  Type type = Type::string;
  YamlTag tag = YamlTag::none;
  YamlNodeId first_child = kNoYamlNode;
  YamlNodeId next_sibling = kNoYamlNode;
  YamlNodeId target = kNoYamlNode;
  uint32_t line = 0;  // from 1
  uint32_t column = 0;
  std::string value;

  SourcePosition position() const { return {line, column}; }
};

// Appends nodes in document order; knows which mapping or sequence is open.
class YamlTree {
 public:
  void add(YamlNode node);
  void open(YamlNode node);
  void close() { open_.pop_back(); }
  size_t depth() const { return open_.size(); }
  bool is_open(YamlNodeId id) const;

  bool empty() const { return nodes_.empty(); }
  YamlNodeId last() const { return static_cast<YamlNodeId>(nodes_.size() - 1); }
  const YamlNode& node(YamlNodeId id) const { return nodes_[id]; }
  static constexpr YamlNodeId root() { return 0; }

 private:
  struct Open {
    YamlNodeId node = kNoYamlNode;
    YamlNodeId last_child = kNoYamlNode;
  };
  std::vector<YamlNode> nodes_;
  std::vector<Open> open_;
};

// `yaml: line 3, column 5: what is wrong`
Status yaml_error(SourcePosition position, std::string_view what);

// Counts what a stream may still contain; each front end asks before it adds.
class YamlLimits {
 public:
  Result<void> take_value(const YamlTree& tree, SourcePosition position);

 private:
  size_t values_ = 0;
};

// YAML text to trees, one per document, through libyaml's events. Internal to the codec.

// The text is valid UTF-8 without a byte order mark.
Result<std::vector<YamlTree>> parse_yaml_trees(std::string_view text);

// The position of a byte: columns count characters.
SourcePosition position_of(std::string_view text, size_t offset);

// JSON text to the same trees that YAML gives: quicker than libyaml, and strict about numbers.
// Internal to the codec.

// The values of a stream of JSON objects and arrays with nothing but white space between them.
// Nothing when the text is not such a stream (it may still be YAML); an error when it is nested too
// deeply or has too many values.
Result<std::optional<std::vector<YamlTree>>> parse_json_trees(std::string_view text);

// A text that is exactly one JSON value of any kind; syntax errors in Go's words.
Result<YamlTree> parse_json_tree(std::string_view text);

// The second half of parse_yaml: a tree with its aliases, merge keys and plain scalars becomes JSON
// text and a source map. Internal to the codec.

Result<YamlDocument> yaml_to_json(const YamlTree& tree, YamlBudget& budget);

}  // namespace windlass::api
