#include "api/patch/field_set.h"

#include "api/codec/json/json_value.h"
#include "base/json_writer.h"

namespace windlass::api {
namespace {

bool is_element(std::string_view text) {
  return text.size() >= 2 && text[1] == ':' &&
         (text[0] == 'f' || text[0] == 'k' || text[0] == 'v' || text[0] == 'i');
}

Result<void> read(const JsonValue& value, size_t depth, FieldSet& set) {
  if (depth > kMaxFieldDepth) {
    return fail(bad_request("field paths are nested too deeply"));
  }
  if (!value.is_object()) {
    return fail(bad_request("expected a JSON object of field paths"));
  }
  if (value.members.empty()) {
    set.member = true;
    return {};
  }
  for (const auto& [name, inner] : value.members) {
    if (name == ".") {
      set.member = true;
      continue;
    }
    if (!is_element(name)) {
      return fail(bad_request("not a field path element: " + name));
    }
    TRY_VOID(read(inner, depth + 1, set.children[name]));
  }
  return {};
}

void append_set(const FieldSet& set, JsonWriter& json) {
  json.open_object();
  if (set.member && !set.children.empty()) {
    json.key(".").open_object().close_object();
  }
  for (const auto& [element, inner] : set.children) {
    json.key(element);
    append_set(inner, json);
  }
  json.close_object();
}

void erase_empty(FieldSet& set) {
  std::erase_if(set.children, [](const auto& child) { return child.second.empty(); });
}

std::string element_text(std::string_view element) {
  const std::string_view rest = element.substr(2);
  switch (element[0]) {
    case 'f':
      return "." + std::string(rest);
    case 'v':
      return "[=" + std::string(rest) + "]";
    case 'i':
      return "[" + std::string(rest) + "]";
    default:
      break;
  }
  std::string text = "[";
  const Result<JsonTree> keys = parse_json_value(rest);
  if (keys) {
    for (const auto& [name, value] : keys->value.members) {
      text += (text.size() == 1 ? "" : ",") + name + "=" + to_json_text(value);
    }
  }
  return text + "]";
}

void append_paths(const FieldSet& set, const std::string& path, std::vector<std::string>& out) {
  if (set.member) {
    out.push_back(path);
  }
  for (const auto& [element, inner] : set.children) {
    append_paths(inner, path + element_text(element), out);
  }
}

}  // namespace

const FieldSet* FieldSet::find(std::string_view element) const {
  const auto found = children.find(element);
  return found == children.end() ? nullptr : &found->second;
}

Result<FieldSet> parse_field_set(std::string_view json) {
  TRY(const JsonTree tree, parse_json_value(json));
  FieldSet set;
  TRY_VOID(read(tree.value, 0, set));
  set.member = false;  // the whole object is not a field
  return set;
}

std::string to_fields_v1(const FieldSet& set) {
  std::string text;
  JsonWriter json(text);
  append_set(set, json);
  return text;
}

void unite(FieldSet& set, FieldSet more) {
  set.member = set.member || more.member;
  set.children.merge(more.children);
  for (auto& [element, inner] : more.children) {  // those that both have
    unite(set.children.find(element)->second, std::move(inner));
  }
}

FieldSet intersection(const FieldSet& a, const FieldSet& b) {
  FieldSet both;
  both.member = a.member && b.member;
  for (const auto& [element, inner] : a.children) {
    if (const FieldSet* other = b.find(element)) {
      FieldSet shared = intersection(inner, *other);
      if (!shared.empty()) {
        both.children.emplace(element, std::move(shared));
      }
    }
  }
  return both;
}

void subtract(FieldSet& set, const FieldSet& less) {
  set.member = set.member && !less.member;
  for (auto& [element, inner] : set.children) {
    if (const FieldSet* other = less.find(element)) {
      subtract(inner, *other);
    }
  }
  erase_empty(set);
}

void cut(FieldSet& set, const FieldSet& roots) {
  for (auto& [element, inner] : set.children) {
    if (const FieldSet* root = roots.find(element)) {
      if (root->member) {
        inner = FieldSet();
      } else {
        cut(inner, *root);
      }
    }
  }
  erase_empty(set);
}

std::vector<std::string> path_texts(const FieldSet& set) {
  std::vector<std::string> paths;
  append_paths(set, "", paths);
  return paths;
}

}  // namespace windlass::api
