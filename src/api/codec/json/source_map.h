// Where in a file each value of a document stands, found by field path. A tree of keys and indexes,
// so that its size follows the document's and not the length of all paths. Immutable once built and
// cheap to copy; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::api {

struct SourcePosition {
  size_t line = 0;  // from 1
  size_t column = 0;

  bool operator==(const SourcePosition&) const = default;
};

class SourceMap {
 public:
  class Builder;

  SourceMap() = default;  // knows nothing

  // The position of the path (`spec.template.spec.containers[0].image`, `metadata.labels[a.b/c]`),
  // or of its nearest parent that is in the document.
  SourcePosition find(std::string_view path) const;
  // The document below that path as a document of its own.
  SourceMap under(std::string_view path) const;

 private:
  using NodeId = uint32_t;
  static constexpr NodeId kNone = UINT32_MAX;

  struct Node {
    uint32_t key_begin = 0;  // into Tree::keys
    uint32_t key_size = 0;
    uint32_t index = 0;  // of a list item
    uint32_t line = 0;
    uint32_t column = 0;
    NodeId first_child = kNone;
    NodeId last_child = kNone;
    NodeId next_sibling = kNone;
    bool is_item = false;
  };
  struct Tree {
    std::vector<Node> nodes;
    std::string keys;
  };

  std::string_view key_of(const Node& node) const {
    return std::string_view(tree_->keys).substr(node.key_begin, node.key_size);
  }
  NodeId locate(std::string_view path) const;
  NodeId child(NodeId parent, std::string_view& path) const;
  NodeId bracketed_child(NodeId parent, std::string_view& path) const;

  std::shared_ptr<const Tree> tree_;
  NodeId root_ = 0;
};

// Builds the tree from the outside in: enter a key or an item, add what is in it, leave.
class SourceMap::Builder {
 public:
  explicit Builder(SourcePosition root);
  void enter_key(std::string_view key, SourcePosition position);
  void enter_item(size_t index, SourcePosition position);
  void leave() { open_.pop_back(); }
  SourceMap build() &&;

 private:
  void enter(Node node, SourcePosition position);
  std::shared_ptr<Tree> tree_;
  std::vector<NodeId> open_;
};

}  // namespace windlass::api
