#include "api/codec/yaml/yaml_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "api/codec/yaml/yaml_scalars.h"
#include "base/json_writer.h"

namespace windlass::api {
namespace {

// A reported path is cut here: keys may be as long as the file.
constexpr size_t kMaxPathBytes = 1024;

struct Entry {
  std::string key;
  YamlNodeId value = kNoYamlNode;
  SourcePosition position;
  bool merged = false;
};

// The entries of one mapping, in order of their first appearance; the last value wins.
class Entries {
 public:
  // The entry that already has this key, or nullptr after adding a new one.
  Entry* insert(Entry entry) {
    if (Entry* existing = find(entry.key)) {
      return existing;
    }
    entries_.push_back(std::move(entry));
    if (entries_.size() > kLinear) {
      index_latest();
    }
    return nullptr;
  }
  const std::vector<Entry>& all() const { return entries_; }

 private:
  static constexpr size_t kLinear = 16;

  Entry* find(const std::string& key) {
    if (entries_.size() > kLinear) {
      auto found = by_key_.find(key);
      return found == by_key_.end() ? nullptr : &entries_[found->second];
    }
    for (Entry& entry : entries_) {
      if (entry.key == key) {
        return &entry;
      }
    }
    return nullptr;
  }

  void index_latest() {
    for (size_t i = by_key_.size(); i < entries_.size(); ++i) {
      by_key_.emplace(entries_[i].key, i);
    }
  }

  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> by_key_;
};

class Converter {
 public:
  Converter(const YamlTree& tree, YamlBudget& budget)
      : tree_(tree), budget_(budget), map_(tree.node(YamlTree::root()).position()) {}

  Result<YamlDocument> convert() {
    document_.start = tree_.node(YamlTree::root()).position();
    TRY_VOID(value(YamlTree::root(), 0));
    document_.positions = std::move(map_).build();
    return std::move(document_);
  }

 private:
  Result<void> value(YamlNodeId id, size_t depth) {
    const YamlNode* node = &tree_.node(id);
    if (node->type == YamlNode::Type::alias) {
      saw_alias_ = true;
      node = &tree_.node(node->target);
    }
    TRY_VOID(charge(*node, depth));
    switch (node->type) {
      case YamlNode::Type::mapping:
        return mapping(*node, depth);
      case YamlNode::Type::sequence:
        return sequence(*node, depth);
      case YamlNode::Type::json:
        document_.json += node->value;
        return {};
      case YamlNode::Type::string:
        append_json_string(node->value, document_.json);
        return {};
      default:
        return scalar(*node);
    }
  }

  Result<void> charge(const YamlNode& node, size_t depth) {
    if (depth > kMaxYamlDepth) {
      return fail(yaml_error(node.position(), "nested too deeply by its aliases"));
    }
    if (budget_.values == 0 || document_.json.size() > budget_.json_bytes) {
      return fail(yaml_error(node.position(), saw_alias_ ? "document contains excessive aliasing"
                                                         : "document is too large"));
    }
    --budget_.values;
    return {};
  }

  Result<void> scalar(const YamlNode& node) {
    std::optional<YamlScalar> resolved = resolve_tagged_scalar(node.tag, node.value);
    if (!resolved) {
      return fail(yaml_error(node.position(),
                             fmt::format("cannot decode `{}` as its tag says", node.value)));
    }
    if (!resolved->append_json(document_.json)) {
      return fail(yaml_error(node.position(),
                             fmt::format("`{}` is a number that JSON does not have", node.value)));
    }
    return {};
  }

  Result<void> sequence(const YamlNode& node, size_t depth) {
    document_.json += '[';
    size_t index = 0;
    for (YamlNodeId id = node.first_child; id != kNoYamlNode; id = tree_.node(id).next_sibling) {
      if (index > 0) {
        document_.json += ',';
      }
      size_t outer = path_.size();
      fmt::format_to(std::back_inserter(path_), "[{}]", index);
      map_.enter_item(index, tree_.node(id).position());
      TRY_VOID(value(id, depth + 1));
      map_.leave();
      path_.resize(outer);
      ++index;
    }
    document_.json += ']';
    return {};
  }

  Result<void> mapping(const YamlNode& node, size_t depth) {
    Entries entries;
    TRY_VOID(collect(node, entries, false, depth));
    document_.json += '{';
    bool first = true;
    for (const Entry& entry : entries.all()) {
      if (!first) {
        document_.json += ',';
      }
      first = false;
      append_json_string(entry.key, document_.json);
      document_.json += ':';
      size_t outer = path_.size();
      extend_path(entry.key);
      map_.enter_key(entry.key, entry.position);
      TRY_VOID(value(entry.value, depth + 1));
      map_.leave();
      path_.resize(outer);
    }
    document_.json += '}';
    return {};
  }

  // Entries of the mapping and, where `<<` stands, of what it merges: as go-yaml does it, in order
  // of appearance, each overriding what came before.
  Result<void> collect(const YamlNode& node, Entries& entries, bool merged, size_t depth) {
    for (YamlNodeId id = node.first_child; id != kNoYamlNode;) {
      const YamlNode& key = tree_.node(id);
      YamlNodeId value_id = key.next_sibling;
      id = tree_.node(value_id).next_sibling;
      if (merged) {
        TRY_VOID(charge(key, depth));
      }
      if (is_merge(key)) {
        TRY_VOID(merge(value_id, entries, depth + 1));
        continue;
      }
      TRY(std::string text, key_text(key));
      Entry entry{std::move(text), value_id, key.position(), merged};
      if (Entry* existing = entries.insert(entry)) {
        if (!existing->merged && !merged) {
          report_duplicate(entry.key);
        }
        *existing = std::move(entry);
      }
    }
    return {};
  }

  static bool is_merge(const YamlNode& key) {
    return key.type == YamlNode::Type::plain && key.value == "<<" &&
           (key.tag == YamlTag::none || key.tag == YamlTag::merge);
  }

  Result<void> merge(YamlNodeId id, Entries& entries, size_t depth) {
    const YamlNode& node = target_of(id);
    TRY_VOID(charge(node, depth));
    if (node.type == YamlNode::Type::mapping) {
      return collect(node, entries, true, depth);
    }
    // A list under an alias is refused by go-yaml too.
    if (tree_.node(id).type != YamlNode::Type::sequence) {
      return fail(no_map(node));
    }
    std::vector<YamlNodeId> items;
    for (YamlNodeId item = node.first_child; item != kNoYamlNode;
         item = tree_.node(item).next_sibling) {
      items.push_back(item);
    }
    // Backwards, because earlier maps win.
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
      const YamlNode& map = target_of(*item);
      if (map.type != YamlNode::Type::mapping) {
        return fail(no_map(map));
      }
      TRY_VOID(charge(map, depth));
      TRY_VOID(collect(map, entries, true, depth));
    }
    return {};
  }

  static Status no_map(const YamlNode& node) {
    return yaml_error(node.position(), "map merge requires map or sequence of maps as the value");
  }

  const YamlNode& target_of(YamlNodeId id) {
    const YamlNode& node = tree_.node(id);
    if (node.type != YamlNode::Type::alias) {
      return node;
    }
    saw_alias_ = true;
    return tree_.node(node.target);
  }

  Result<std::string> key_text(const YamlNode& given) {
    const YamlNode& key = given.type == YamlNode::Type::alias ? tree_.node(given.target) : given;
    if (key.type == YamlNode::Type::string) {
      return key.value;
    }
    if (key.type == YamlNode::Type::plain) {
      std::optional<YamlScalar> resolved = resolve_tagged_scalar(key.tag, key.value);
      std::optional<std::string> text = resolved ? resolved->key() : std::nullopt;
      if (text) {
        return *std::move(text);
      }
    }
    return fail(yaml_error(given.position(), "only strings, booleans and numbers can be keys"));
  }

  void extend_path(std::string_view key) {
    if (path_.size() >= kMaxPathBytes) {
      return;
    }
    if (!path_.empty()) {
      path_ += '.';
    }
    path_ += key.substr(0, kMaxPathBytes);
  }

  void report_duplicate(std::string_view key) {
    if (document_.duplicate_keys.size() < kMaxYamlDuplicateKeys) {
      size_t outer = path_.size();
      extend_path(key);
      document_.duplicate_keys.push_back(path_);
      path_.resize(outer);
    }
  }

  const YamlTree& tree_;
  YamlBudget& budget_;
  YamlDocument document_;
  SourceMap::Builder map_;
  std::string path_;
  bool saw_alias_ = false;
};

}  // namespace

Result<YamlDocument> yaml_to_json(const YamlTree& tree, YamlBudget& budget) {
  TRY(YamlDocument document, Converter(tree, budget).convert());
  budget.json_bytes -= std::min(budget.json_bytes, document.json.size());
  return document;
}

}  // namespace windlass::api
