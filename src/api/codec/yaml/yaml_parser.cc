#include "api/codec/yaml/yaml_node.h"

#include <fmt/format.h>
#include <yaml.h>

#include <map>

#include "api/codec/base64.h"
#include "base/check.h"

namespace windlass::api {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

const unsigned char* as_yaml(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string_view from_yaml(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

SourcePosition position_of_mark(const yaml_mark_t& mark) {
  return {mark.line + 1, mark.column + 1};
}

YamlNode node_at(const yaml_event_t& event, YamlNode::Type type) {
  YamlNode node;
  node.type = type;
  node.line = static_cast<uint32_t>(event.start_mark.line + 1);
  node.column = static_cast<uint32_t>(event.start_mark.column + 1);
  return node;
}

YamlTag tag_of(std::string_view name) {
  if (name == "bool") {
    return YamlTag::boolean;
  }
  if (name == "int") {
    return YamlTag::integer;
  }
  if (name == "float") {
    return YamlTag::floating;
  }
  if (name == "null") {
    return YamlTag::null;
  }
  if (name == "timestamp") {
    return YamlTag::timestamp;
  }
  return name == "merge" ? YamlTag::merge : YamlTag::none;
}

class YamlEvent {
 public:
  YamlEvent() = default;
  YamlEvent(const YamlEvent&) = delete;
  YamlEvent& operator=(const YamlEvent&) = delete;
  ~YamlEvent() { yaml_event_delete(&event_); }

  yaml_event_t& operator*() { return event_; }
  yaml_event_t* operator->() { return &event_; }

 private:
  yaml_event_t event_{};
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    CHECK(yaml_parser_initialize(&parser_) == 1, "libyaml has memory");
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, as_yaml(text), text.size());
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() { yaml_parser_delete(&parser_); }

  Result<std::vector<YamlTree>> parse() {
    while (true) {
      YamlEvent event;
      if (yaml_parser_parse(&parser_, &*event) == 0) {
        return fail(problem());
      }
      if (event->type == YAML_STREAM_END_EVENT) {
        return std::move(trees_);
      }
      TRY_VOID(handle(*event));
    }
  }

 private:
  Result<void> handle(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        trees_.emplace_back();
        anchors_.clear();
        return {};
      case YAML_SCALAR_EVENT:
        return add_scalar(event);
      case YAML_ALIAS_EVENT:
        return add_alias(event);
      case YAML_SEQUENCE_START_EVENT:
        return open(event, YamlNode::Type::sequence, event.data.sequence_start.anchor);
      case YAML_MAPPING_START_EVENT:
        return open(event, YamlNode::Type::mapping, event.data.mapping_start.anchor);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        tree().close();
        return {};
      default:
        return {};
    }
  }

  YamlTree& tree() { return trees_.back(); }

  Result<void> open(const yaml_event_t& event, YamlNode::Type type, const yaml_char_t* anchor) {
    TRY_VOID(limits_.take_value(tree(), position_of_mark(event.start_mark)));
    tree().open(node_at(event, type));
    remember(anchor);
    return {};
  }

  Result<void> add(YamlNode node, const yaml_char_t* anchor) {
    TRY_VOID(limits_.take_value(tree(), node.position()));
    tree().add(std::move(node));
    remember(anchor);
    return {};
  }

  Result<void> add_scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    YamlNode node = node_at(event, YamlNode::Type::string);
    node.value.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    std::string_view tag = from_yaml(scalar.tag);
    if (tag.starts_with(kTagPrefix)) {
      tag.remove_prefix(kTagPrefix.size());
      node.tag = tag_of(tag);
      if (tag == "binary") {
        std::string decoded;
        if (decode_base64(node.value, decoded)) {
          return fail(yaml_error(node.position(), "!!binary value contains invalid base64 data"));
        }
        node.value = std::move(decoded);
      }
    }
    if (scalar.plain_implicit != 0 || node.tag != YamlTag::none) {
      node.type = YamlNode::Type::plain;
    }
    return add(std::move(node), scalar.anchor);
  }

  Result<void> add_alias(const yaml_event_t& event) {
    std::string_view name = from_yaml(event.data.alias.anchor);
    SourcePosition position = position_of_mark(event.start_mark);
    auto anchor = anchors_.find(name);
    if (anchor == anchors_.end()) {
      return fail(yaml_error(position, fmt::format("unknown anchor '{}' referenced", name)));
    }
    if (tree().is_open(anchor->second)) {
      return fail(yaml_error(position, fmt::format("anchor '{}' value contains itself", name)));
    }
    YamlNode node = node_at(event, YamlNode::Type::alias);
    node.target = anchor->second;
    return add(std::move(node), nullptr);
  }

  void remember(const yaml_char_t* anchor) {
    if (anchor != nullptr) {
      anchors_.insert_or_assign(std::string(from_yaml(anchor)), tree().last());
    }
  }

  Status problem() const {
    std::string_view what = parser_.problem != nullptr ? parser_.problem : "out of memory";
    if (parser_.error == YAML_READER_ERROR) {
      return yaml_error(position_of(text_, parser_.problem_offset), what);
    }
    return yaml_error(position_of_mark(parser_.problem_mark), what);
  }

  std::string_view text_;
  yaml_parser_t parser_{};
  std::vector<YamlTree> trees_;
  YamlLimits limits_;
  std::map<std::string, YamlNodeId, std::less<>> anchors_;
};

}  // namespace

SourcePosition position_of(std::string_view text, size_t offset) {
  SourcePosition position{1, 1};
  for (size_t i = 0; i < offset && i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((byte & 0xc0) != 0x80) {
      ++position.column;
    }
  }
  return position;
}

Result<std::vector<YamlTree>> parse_yaml_trees(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace windlass::api
