#include "api/codec/yaml/yaml_node.h"

#include <fmt/format.h>

#include "api/codec/yaml/yaml.h"

namespace windlass::api {

void YamlTree::add(YamlNode node) {
  auto id = static_cast<YamlNodeId>(nodes_.size());
  nodes_.push_back(std::move(node));
  if (open_.empty()) {
    return;
  }
  Open& parent = open_.back();
  YamlNodeId& link = parent.last_child == kNoYamlNode ? nodes_[parent.node].first_child
                                                      : nodes_[parent.last_child].next_sibling;
  link = id;
  parent.last_child = id;
}

void YamlTree::open(YamlNode node) {
  add(std::move(node));
  open_.push_back({last(), kNoYamlNode});
}

bool YamlTree::is_open(YamlNodeId id) const {
  for (const Open& open : open_) {
    if (open.node == id) {
      return true;
    }
  }
  return false;
}

Status yaml_error(SourcePosition position, std::string_view what) {
  return bad_request(
      fmt::format("yaml: line {}, column {}: {}", position.line, position.column, what));
}

Result<void> YamlLimits::take_value(const YamlTree& tree, SourcePosition position) {
  if (tree.depth() >= kMaxYamlDepth) {
    return fail(yaml_error(position, fmt::format("nested deeper than {} levels", kMaxYamlDepth)));
  }
  if (++values_ > kMaxYamlValues) {
    return fail(yaml_error(position, fmt::format("more than {} values", kMaxYamlValues)));
  }
  return {};
}

}  // namespace windlass::api
