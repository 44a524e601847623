#include "apiserver/rest/answers/list_text.h"

#include "api/codec/json/json_text.h"
#include "api/codec/yaml/yaml.h"
#include "base/check.h"

namespace windlass::apiserver {
namespace {

// How an empty list ends in each style, from the bracket on.
constexpr std::string_view kEmptyPrettyEnd = "]\n}";
constexpr std::string_view kEmptyYamlEnd = " []\n";

// An item gets its indentation from a list of its own, which is then taken off again.
constexpr std::string_view kOneItem = R"({"i":[)";
constexpr std::string_view kOneItemEnd = "]}";
constexpr std::string_view kPrettyBefore = "{\n  \"i\": [";
constexpr std::string_view kPrettyAfter = "\n  ]\n}";
constexpr std::string_view kYamlBefore = "i:\n";

std::string alone(std::string_view item) {
  std::string list(kOneItem);
  list += item;
  list += kOneItemEnd;
  return list;
}

}  // namespace

void ListText::open(std::string_view head, std::string& out) {
  const std::string empty_list = std::string(head) + "]}";
  std::string text;
  if (format_.encoding == Encoding::yaml) {
    auto yaml = api::json_to_yaml(empty_list);
    CHECK(yaml.has_value() && yaml->ends_with(kEmptyYamlEnd), "the head of a list is small");
    text = *std::move(yaml);
    text.resize(text.size() - kEmptyYamlEnd.size());
  } else {
    api::append_pretty_json(empty_list, text);
    CHECK(text.ends_with(kEmptyPrettyEnd), "a list ends with its items");
    text.resize(text.size() - kEmptyPrettyEnd.size());
  }
  out += text;
}

void ListText::add(std::string_view item, std::string& out) {
  if (format_.encoding == Encoding::yaml) {
    add_yaml(item, out);
  } else {
    add_pretty(item, out);
  }
  empty_ = false;
}

void ListText::add_pretty(std::string_view item, std::string& out) {
  if (!empty_) {
    out += ',';
  }
  std::string text;
  api::append_pretty_json(alone(item), text);
  out += std::string_view(text).substr(kPrettyBefore.size(),
                                       text.size() - kPrettyBefore.size() - kPrettyAfter.size());
}

void ListText::add_yaml(std::string_view item, std::string& out) {
  if (empty_) {
    out += '\n';
  }
  const auto text = api::json_to_yaml(alone(item));
  if (text) {
    out += std::string_view(*text).substr(kYamlBefore.size());
    return;
  }
  // Too deep or too large for block style; JSON is YAML as well.
  out += "- ";
  out += item;
  out += '\n';
}

void ListText::close(std::string& out) {
  if (format_.encoding == Encoding::yaml) {
    out += empty_ ? kEmptyYamlEnd : "";
    return;
  }
  out += empty_ ? kEmptyPrettyEnd : kPrettyAfter;
  out += '\n';
}

}  // namespace windlass::apiserver
