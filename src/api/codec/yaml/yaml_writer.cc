// json_to_yaml: block style as kubectl prints it, lists at the indentation of their key.
#include "api/codec/yaml/yaml.h"
#include "api/codec/yaml/yaml_node.h"
#include "api/codec/yaml/yaml_scalars.h"

namespace windlass::api {
namespace {

constexpr size_t kIndent = 2;
// YAML parsers look only so far for the colon behind a key; longer ones are written with `?`.
constexpr size_t kMaxSimpleKey = 512;

class YamlWriter {
 public:
  explicit YamlWriter(const YamlTree& tree) : tree_(tree) {}

  Result<std::string> write() && {
    const YamlNode& root = tree_.node(YamlTree::root());
    if (is_block(root)) {
      block(root, 0);
    } else {
      scalar(root, 0);
    }
    if (out_.size() > kMaxYamlBytes) {
      return fail(bad_request("the object is too large, or nested too deeply, to be YAML"));
    }
    return std::move(out_);
  }

 private:
  static bool is_block(const YamlNode& node) { return node.first_child != kNoYamlNode; }

  // The lines of a mapping or list. The first line's indentation is already there.
  void block(const YamlNode& node, size_t indent) {
    bool first = true;
    // Indentation can make a document many times longer; write() refuses what is cut off here.
    for (YamlNodeId id = node.first_child; id != kNoYamlNode && out_.size() <= kMaxYamlBytes;) {
      if (!first) {
        out_.append(indent, ' ');
      }
      first = false;
      const YamlNode& child = tree_.node(id);
      if (node.type == YamlNode::Type::sequence) {
        out_ += "- ";
        item(child, indent + kIndent);
        id = child.next_sibling;
      } else {
        const YamlNode& value = tree_.node(child.next_sibling);
        member(child, value, indent);
        id = value.next_sibling;
      }
    }
  }

  void item(const YamlNode& node, size_t indent) {
    if (is_block(node)) {
      block(node, indent);
    } else {
      scalar(node, indent);
    }
  }

  void member(const YamlNode& key, const YamlNode& value, size_t indent) {
    std::string name = yaml_inline_string(key.value);
    if (name.size() > kMaxSimpleKey) {
      out_ += "? ";
      out_ += name;
      out_ += '\n';
      out_.append(indent, ' ');
    } else {
      out_ += name;
    }
    out_ += ':';
    if (!is_block(value)) {
      out_ += ' ';
      scalar(value, indent + kIndent);
      return;
    }
    size_t inner = value.type == YamlNode::Type::sequence ? indent : indent + kIndent;
    out_ += '\n';
    out_.append(inner, ' ');
    block(value, inner);
  }

  void scalar(const YamlNode& node, size_t indent) {
    switch (node.type) {
      case YamlNode::Type::mapping:
        out_ += "{}";
        break;
      case YamlNode::Type::sequence:
        out_ += "[]";
        break;
      case YamlNode::Type::string:
        if (can_be_literal(node.value)) {
          append_literal(node.value, indent == 0 ? kIndent : indent, out_);
          return;
        }
        out_ += yaml_inline_string(node.value);
        break;
      default:
        out_ += node.value;
    }
    out_ += '\n';
  }

  const YamlTree& tree_;
  std::string out_;
};

}  // namespace

Result<std::string> json_to_yaml(std::string_view json) {
  TRY(YamlTree tree, parse_json_tree(json));
  return YamlWriter(tree).write();
}

}  // namespace windlass::api
