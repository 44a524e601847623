#include "api/codec/yaml/yaml_node.h"

#include "api/codec/json/json_scanner.h"
#include "api/codec/json/json_text.h"

namespace windlass::api {
namespace {

// Follows offsets that only grow, so that the whole text is counted once.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  SourcePosition at(size_t offset) {
    for (; next_ < offset; ++next_) {
      auto byte = static_cast<unsigned char>(text_[next_]);
      if (byte == '\n') {
        ++position_.line;
        position_.column = 1;
      } else if ((byte & 0xc0) != 0x80) {
        ++position_.column;
      }
    }
    return position_;
  }

 private:
  std::string_view text_;
  size_t next_ = 0;
  SourcePosition position_{1, 1};
};

class JsonInput {
 public:
  explicit JsonInput(std::string_view text) : text_(text), lines_(text) {}

  Result<std::optional<std::vector<YamlTree>>> parse() {
    size_t at = 0;
    while ((at = text_.find_first_not_of(" \t\r\n", at)) != std::string_view::npos) {
      if (text_[at] != '{' && text_[at] != '[') {
        return std::nullopt;
      }
      trees_.emplace_back();
      TRY(size_t end, parse_value(at));
      if (end == 0) {
        return std::nullopt;
      }
      at = end;
    }
    return std::optional(std::move(trees_));
  }

  Result<YamlTree> parse_one() {
    trees_.emplace_back();
    TRY(size_t end, parse_value(0));
    if (end == 0 || text_.find_first_not_of(" \t\r\n", end) != std::string_view::npos) {
      return fail(bad_request(json_syntax_error(text_)));
    }
    return std::move(trees_.back());
  }

 private:
  // Where the value ends, or 0 when the text is not JSON.
  Result<size_t> parse_value(size_t start) {
    JsonScanner scanner(text_, start);
    while (true) {
      JsonToken token = scanner.next_of_stream();
      SourcePosition position = lines_.at(scanner.offset());
      switch (token) {
        case JsonToken::end:
          return scanner.end_offset();
        case JsonToken::error:
          if (scanner.too_deep()) {
            return fail(yaml_error(position, scanner.error()));
          }
          return 0;
        case JsonToken::end_object:
        case JsonToken::end_array:
          trees_.back().close();
          break;
        default:
          TRY_VOID(limits_.take_value(trees_.back(), position));
          add(token, scanner.text(), position);
      }
    }
  }

  void add(JsonToken token, std::string_view text, SourcePosition position) {
    YamlNode node;
    node.line = static_cast<uint32_t>(position.line);
    node.column = static_cast<uint32_t>(position.column);
    if (token == JsonToken::begin_object || token == JsonToken::begin_array) {
      bool object = token == JsonToken::begin_object;
      node.type = object ? YamlNode::Type::mapping : YamlNode::Type::sequence;
      trees_.back().open(std::move(node));
      return;
    }
    if (token == JsonToken::key || token == JsonToken::string) {
      node.value = unescape_json_string(text);
    } else {
      node.type = YamlNode::Type::json;
      node.value = text;
    }
    trees_.back().add(std::move(node));
  }

  std::string_view text_;
  LineCounter lines_;
  YamlLimits limits_;
  std::vector<YamlTree> trees_;
};

}  // namespace

Result<std::optional<std::vector<YamlTree>>> parse_json_trees(std::string_view text) {
  return JsonInput(text).parse();
}

Result<YamlTree> parse_json_tree(std::string_view text) {
  return JsonInput(text).parse_one();
}

}  // namespace windlass::api
