#include "api/codec/yaml/yaml.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "api/codec/yaml/yaml_node.h"
#include "base/utf8.h"

namespace windlass::api {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

size_t first_invalid_byte(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    size_t length = utf8_length(text, at);
    if (length == 0) {
      break;
    }
    at += length;
  }
  return at;
}

Result<std::vector<YamlTree>> parse_trees(std::string_view text) {
  TRY(std::optional<std::vector<YamlTree>> json, parse_json_trees(text));
  if (json) {
    return *std::move(json);
  }
  return parse_yaml_trees(text);
}

}  // namespace

Result<std::vector<YamlDocument>> parse_yaml(std::string_view text, YamlBudget budget) {
  if (text.size() > kMaxYamlBytes) {
    return fail(bad_request(
        fmt::format("yaml: input has {} bytes, the limit is {}", text.size(), kMaxYamlBytes)));
  }
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return fail(yaml_error(position_of(text, first_invalid_byte(text)), "invalid UTF-8"));
  }
  TRY(std::vector<YamlTree> trees, parse_trees(text));
  std::vector<YamlDocument> documents;
  for (const YamlTree& tree : trees) {
    TRY(YamlDocument document, yaml_to_json(tree, budget));
    if (document.json != "null") {
      documents.push_back(std::move(document));
    }
  }
  return documents;
}

}  // namespace windlass::api
