#include "api/codec/json/list_document.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace windlass::api {
namespace {

YamlDocument item_document(const YamlDocument& list, size_t index, std::string json) {
  YamlDocument item;
  item.json = std::move(json);
  const std::string path = fmt::format("items[{}]", index);
  item.start = list.find(path);
  item.positions = list.positions.under(path);
  const std::string prefix = path + ".";
  for (const auto& duplicate : list.duplicate_keys) {
    if (duplicate.starts_with(prefix)) {
      item.duplicate_keys.push_back(duplicate.substr(prefix.size()));
    }
  }
  return item;
}

}  // namespace

std::vector<YamlDocument> split_list(YamlDocument document) {
  std::vector<YamlDocument> result;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  std::string_view kind;
  simdjson::dom::array items;
  const bool is_list = parser.parse(document.json).get(root) == simdjson::SUCCESS &&
                       root["kind"].get(kind) == simdjson::SUCCESS && kind == "List" &&
                       root["items"].get(items) == simdjson::SUCCESS;
  if (!is_list) {
    result.push_back(std::move(document));
    return result;
  }
  size_t index = 0;
  for (const simdjson::dom::element item : items) {
    result.push_back(item_document(document, index, simdjson::minify(item)));
    ++index;
  }
  return result;
}

}  // namespace windlass::api
