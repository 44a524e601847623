#include "api/codec/json/source_map.h"

#include <charconv>

namespace windlass::api {

SourceMap::Builder::Builder(SourcePosition root) : tree_(std::make_shared<Tree>()) {
  enter(Node{}, root);
}

void SourceMap::Builder::enter(Node node, SourcePosition position) {
  auto id = static_cast<NodeId>(tree_->nodes.size());
  node.line = static_cast<uint32_t>(position.line);
  node.column = static_cast<uint32_t>(position.column);
  tree_->nodes.push_back(node);
  if (!open_.empty()) {
    Node& parent = tree_->nodes[open_.back()];
    if (parent.last_child == kNone) {
      parent.first_child = id;
    } else {
      tree_->nodes[parent.last_child].next_sibling = id;
    }
    parent.last_child = id;
  }
  open_.push_back(id);
}

void SourceMap::Builder::enter_key(std::string_view key, SourcePosition position) {
  Node node;
  node.key_begin = static_cast<uint32_t>(tree_->keys.size());
  node.key_size = static_cast<uint32_t>(key.size());
  tree_->keys += key;
  enter(node, position);
}

void SourceMap::Builder::enter_item(size_t index, SourcePosition position) {
  Node node;
  node.index = static_cast<uint32_t>(index);
  node.is_item = true;
  enter(node, position);
}

SourceMap SourceMap::Builder::build() && {
  SourceMap map;
  map.tree_ = std::move(tree_);
  return map;
}

// A key of the parent, or an index in brackets. Keys may have dots and brackets of their own, so
// the longest key that fits is taken. Moves `path` behind it.
SourceMap::NodeId SourceMap::child(NodeId parent, std::string_view& path) const {
  if (path.starts_with('[')) {
    return bracketed_child(parent, path);
  }
  if (path.starts_with('.')) {
    path.remove_prefix(1);
  }
  NodeId best = kNone;
  size_t best_size = 0;
  const std::vector<Node>& nodes = tree_->nodes;
  for (NodeId id = nodes[parent].first_child; id != kNone; id = nodes[id].next_sibling) {
    std::string_view key = key_of(nodes[id]);
    bool fits = !nodes[id].is_item && path.starts_with(key) &&
                (path.size() == key.size() || path[key.size()] == '.' || path[key.size()] == '[');
    if (fits && (best == kNone || key.size() > best_size)) {
      best = id;
      best_size = key.size();
    }
  }
  path.remove_prefix(best_size);
  return best;
}

SourceMap::NodeId SourceMap::bracketed_child(NodeId parent, std::string_view& path) const {
  const std::vector<Node>& nodes = tree_->nodes;
  for (NodeId id = nodes[parent].first_child; id != kNone; id = nodes[id].next_sibling) {
    if (nodes[id].is_item) {
      uint32_t index = 0;
      auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), index);
      auto used = static_cast<size_t>(end - path.data());
      if (error == std::errc() && index == nodes[id].index && path.substr(used, 1) == "]") {
        path.remove_prefix(used + 1);
        return id;
      }
      continue;
    }
    std::string_view key = key_of(nodes[id]);
    if (path.substr(1).starts_with(key) && path.substr(1 + key.size(), 1) == "]") {
      path.remove_prefix(key.size() + 2);
      return id;
    }
  }
  return kNone;
}

SourceMap::NodeId SourceMap::locate(std::string_view path) const {
  NodeId at = root_;
  while (!path.empty()) {
    NodeId next = child(at, path);
    if (next == kNone) {
      break;
    }
    at = next;
  }
  return at;
}

SourcePosition SourceMap::find(std::string_view path) const {
  if (!tree_) {
    return {};
  }
  const Node& node = tree_->nodes[locate(path)];
  return {node.line, node.column};
}

SourceMap SourceMap::under(std::string_view path) const {
  SourceMap below = *this;
  if (tree_) {
    below.root_ = locate(path);
  }
  return below;
}

}  // namespace windlass::api
