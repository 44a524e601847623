#include "api/patch/strategic_merge.h"

#include <map>
#include <optional>
#include <set>

#include "api/patch/merge_lists.h"
#include "api/patch/patch_schema.h"

namespace windlass::api {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteList = "$deleteFromPrimitiveList";
constexpr std::string_view kOrderList = "$setElementOrder";

// The field that a directive with this prefix is about: "$setElementOrder/env" is about env.
std::string_view about(std::string_view key, std::string_view prefix) {
  const bool fits =
      key.size() > prefix.size() && key.starts_with(prefix) && key[prefix.size()] == '/';
  return fits ? key.substr(prefix.size() + 1) : std::string_view();
}

bool is_directive(std::string_view key) {
  return key == kDirective || key == kRetainKeys || key.starts_with(kDeleteList) ||
         key.starts_with(kOrderList);
}

Status bad_format(std::string_view what) {
  return bad_request("invalid patch format of " + std::string(what));
}

// A list that is merged has items of one type, and no lists among them.
Result<void> check_items(const std::vector<JsonValue>& before,
                         const std::vector<JsonValue>& patch) {
  const JsonValue* first = nullptr;
  for (const std::vector<JsonValue>* items : {&before, &patch}) {
    for (const JsonValue& item : *items) {
      if (first == nullptr) {
        first = &item;
      } else if (item.type != first->type) {
        const auto list = [](std::vector<JsonValue> of) {
          return JsonValue{JsonValue::Type::array, {}, std::move(of), {}};
        };
        return fail(plain_error("list element types are not identical: " +
                                go_text(list({list(before), list(patch)}))));
      }
    }
  }
  return first != nullptr && first->is_array() ? fail(rejected_patch()) : Result<void>();
}

// What a patch puts where nothing of its kind is: itself, without members that are null and objects
// that carry a directive. Nothing when it is such an object.
std::optional<JsonValue> as_new(const JsonValue& patch) {
  if (patch.find(kDirective) != nullptr) {
    return std::nullopt;
  }
  JsonValue made{patch.type, patch.text, {}, {}};
  for (const auto& [name, member] : patch.members) {
    std::optional<JsonValue> inner = member.is_null() ? std::nullopt : as_new(member);
    if (inner) {
      made.members.emplace(name, *std::move(inner));
    }
  }
  for (const JsonValue& item : patch.items) {
    if (std::optional<JsonValue> inner = as_new(item)) {
      made.items.push_back(*std::move(inner));
    }
  }
  return made;
}

Status unknown_directive(const JsonValue& directive, const JsonValue& patch) {
  return plain_error("unknown patch type: " + go_text(directive) + " in map: " + go_text(patch));
}

// A list of a patch without the items that say what to do with the list.
struct ListPatch {
  std::vector<JsonValue> items;
  std::set<std::string> deleted;  // names
  bool replace = false;
};

Result<ListPatch> read_list(const std::vector<JsonValue>& patch, std::string_view merge_key) {
  ListPatch read;
  for (const JsonValue& item : patch) {
    const JsonValue* directive = item.find(kDirective);
    if (directive == nullptr) {
      read.items.push_back(item);
    } else if (directive->text == "replace") {
      read.replace = true;
    } else if (directive->text == "delete") {
      TRY(const std::vector<std::string> names, item_names({item}, merge_key));
      read.deleted.insert(names.front());
    } else if (directive->text == "merge") {
      return fail(plain_error("merging lists cannot yet be specified in the patch"));
    } else {
      return fail(unknown_directive(*directive, item));
    }
  }
  return read;
}

class StrategicMerger {
 public:
  // Recursion is bounded by the depth of the patch.
  Result<void> object(JsonValue& target, const JsonValue& patch, const JsonStruct* type) {
    if (const JsonValue* directive = patch.find(kDirective)) {
      return whole_object(target, patch, *directive, type);
    }
    TRY_VOID(retain_keys(target, patch));
    std::set<std::string_view> ordered;
    for (const auto& [key, value] : patch.members) {
      if (key.starts_with(kOrderList)) {
        const std::string_view name = about(key, kOrderList);
        TRY_VOID(ordered_list(target, patch, name, value, type));
        ordered.insert(name);
      }
    }
    for (const auto& [key, value] : patch.members) {
      if (key.starts_with(kDeleteList)) {
        TRY_VOID(delete_values(target, about(key, kDeleteList), value));
      } else if (!is_directive(key) && !ordered.contains(key)) {
        TRY_VOID(member(target, key, value, find_field(type, key)));
      }
    }
    return {};
  }

 private:
  Result<void> whole_object(JsonValue& target, const JsonValue& patch, const JsonValue& directive,
                            const JsonStruct* type) {
    if (directive.text != "replace" && directive.text != "delete") {
      return fail(unknown_directive(directive, patch));
    }
    target = JsonValue::object();
    if (directive.text == "delete") {
      return {};
    }
    JsonValue rest = patch;
    rest.members.erase(std::string(kDirective));
    return object(target, rest, type);
  }

  static Result<void> retain_keys(JsonValue& target, const JsonValue& patch) {
    const JsonValue* list = patch.find(kRetainKeys);
    if (list == nullptr) {
      return {};
    }
    if (!list->is_array()) {
      return fail(bad_format("retainKeys"));
    }
    std::set<std::string_view> retained;
    for (const JsonValue& key : list->items) {
      if (key.is_string()) {
        retained.insert(key.text);
      }
    }
    for (const auto& [key, value] : patch.members) {
      if (!value.is_null() && !is_directive(key) && !retained.contains(key)) {
        return fail(bad_format("retainKeys"));
      }
    }
    std::erase_if(target.members,
                  [&](const auto& entry) { return !retained.contains(entry.first); });
    return {};
  }

  static Result<void> delete_values(JsonValue& target, std::string_view name,
                                    const JsonValue& list) {
    if (name.empty()) {
      return fail(bad_format("primitive list"));
    }
    if (list.is_null()) {
      target.members.erase(std::string(name));
      return {};
    }
    JsonValue* values = target.find(name);
    if (values == nullptr || !values->is_array() || !list.is_array()) {
      return {};
    }
    TRY_VOID(check_items(values->items, list.items));
    TRY(const std::vector<std::string> names, item_names(list.items, ""));
    const std::set<std::string> deleted(names.begin(), names.end());
    std::vector<JsonValue> kept;
    for (JsonValue& value : values->items) {
      TRY(const std::vector<std::string> name_of_it, item_names({value}, ""));
      if (!deleted.contains(name_of_it.front())) {
        kept.push_back(std::move(value));
      }
    }
    values->items = std::move(kept);
    return {};
  }

  Result<void> member(JsonValue& target, const std::string& key, const JsonValue& patch,
                      const JsonField* field) {
    if (patch.is_null()) {
      target.members.erase(key);
      return {};
    }
    JsonValue& value = target.members[key];
    if (value.type != patch.type) {
      if (std::optional<JsonValue> made = as_new(patch)) {
        value = *std::move(made);
      } else {
        target.members.erase(key);
      }
      return {};
    }
    const bool replaces = field != nullptr && patch_rule(*field).replaces;
    if (patch.is_object() && !replaces) {
      return object(value, patch, field == nullptr ? nullptr : field->object);
    }
    if (patch.is_array() && field != nullptr && patch_rule(*field).merges) {
      return list(value, patch.items, nullptr, *field);
    }
    value = patch;
    return {};
  }

  Result<void> ordered_list(JsonValue& target, const JsonValue& patch, std::string_view name,
                            const JsonValue& order, const JsonStruct* type) {
    const JsonField* field = find_field(type, name);
    const JsonValue* items = patch.find(name);
    const bool usable = field != nullptr && patch_rule(*field).merges && order.is_array() &&
                        (items == nullptr || items->is_array() || items->is_null());
    if (!usable) {
      return fail(bad_format("setElementOrder list"));
    }
    if (items != nullptr && items->is_null()) {
      target.members.erase(std::string(name));
      return {};
    }
    if (items == nullptr && target.find(name) == nullptr) {
      return {};
    }
    static const std::vector<JsonValue> kNone;
    return list(target.members[std::string(name)], items == nullptr ? kNone : items->items, &order,
                *field);
  }

  Result<void> list(JsonValue& target, const std::vector<JsonValue>& patch, const JsonValue* order,
                    const JsonField& field) {
    const std::string_view key = patch_rule(field).merge_key;
    if (!target.is_array()) {
      target = JsonValue::array();
    }
    TRY_VOID(check_items(target.items, patch));
    TRY(const ListPatch read, read_list(patch, key));
    TRY(const std::vector<std::string> wanted, item_names(read.items, key));
    if (read.replace) {
      target.items.clear();
    }
    TRY(const std::vector<std::string> before, item_names(target.items, key));
    std::vector<std::string> names;
    TRY(std::vector<JsonValue> merged, merge_items(target, before, read, wanted, field, names));
    std::vector<std::string> order_names = wanted;
    if (order != nullptr) {
      TRY(order_names, item_names(order->items, key));
      if (!order_names.empty() && !is_in_order(wanted, order_names)) {
        return fail(plain_error(
            "The order in patch list:\n" + go_text({JsonValue::Type::array, {}, patch, {}}) +
            "\n doesn't match " + std::string(kOrderList) + " list:\n" + go_text(*order) + "\n"));
      }
    }
    target.items.clear();
    for (const size_t i : merged_order(names, order_names, before)) {
      target.items.push_back(std::move(merged[i]));
    }
    return {};
  }

  // What was there, without what is deleted and merged with what the patch has; then the new.
  Result<std::vector<JsonValue>> merge_items(JsonValue& target,
                                             const std::vector<std::string>& before,
                                             const ListPatch& patch,
                                             const std::vector<std::string>& wanted,
                                             const JsonField& field,
                                             std::vector<std::string>& names) {
    std::vector<JsonValue> merged;
    std::map<std::string_view, size_t> places;
    for (size_t i = 0; i < before.size(); ++i) {
      if (!patch.deleted.contains(before[i])) {
        places.emplace(before[i], merged.size());
        merged.push_back(std::move(target.items[i]));
        names.push_back(before[i]);
      }
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      const auto [place, is_new] = places.emplace(wanted[i], merged.size());
      if (is_new) {
        names.push_back(wanted[i]);
        merged.push_back(patch.items[i]);
      } else if (field.object != nullptr) {
        TRY_VOID(object(merged[place->second], patch.items[i], field.object));
      }
    }
    return merged;
  }
};

std::string_view go_kind(const JsonValue& value) {
  switch (value.type) {
    case JsonValue::Type::boolean:
      return "bool";
    case JsonValue::Type::number:
      return value.text.find_first_of(".eE") == std::string::npos ? "int64" : "float64";
    case JsonValue::Type::array:
      return "slice";
    case JsonValue::Type::object:
      return "map";
    default:
      return "string";
  }
}

std::string wrong_field(const JsonValue& value, const JsonField& field) {
  if (value.is_null()) {
    return "";
  }
  const std::string kind(go_kind(value));
  switch (field.shape) {
    case JsonShape::map:
      return value.is_object() ? "" : "cannot restore map from " + kind;
    case JsonShape::list:
      if (!value.is_array()) {
        return "cannot restore slice from " + kind;
      }
      for (const JsonValue& item : value.items) {
        const std::string wrong =
            field.object == nullptr || item.is_null() ? "" : wrong_shape(item, *field.object);
        if (!wrong.empty()) {
          return wrong;
        }
      }
      return "";
    case JsonShape::single:
      return field.object == nullptr ? "" : wrong_shape(value, *field.object);
  }
  return "";
}

}  // namespace

Result<void> apply_strategic_merge(JsonValue& target, const JsonValue& patch,
                                   const JsonStruct& type) {
  return StrategicMerger().object(target, patch, &type);
}

std::string wrong_shape(const JsonValue& value, const JsonStruct& type) {
  if (!value.is_object()) {
    return "cannot restore struct from: " + std::string(go_kind(value));
  }
  for (const auto& [name, member] : value.members) {
    const JsonField* field = find_field(&type, name);
    const std::string wrong = field == nullptr ? "" : wrong_field(member, *field);
    if (!wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

}  // namespace windlass::api
