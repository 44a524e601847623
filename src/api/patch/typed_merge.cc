#include "api/patch/typed_merge.h"

#include <map>

namespace windlass::api {
namespace {

using Form = NodeType::Form;

void merge_list(JsonValue& live, const JsonValue& config, const NodeType& type) {
  if (!config.is_array()) {
    return;  // null over a list that has items
  }
  if (!live.is_array()) {
    live = JsonValue::array();
  }
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < live.items.size(); ++i) {
    if (const Result<std::string> element = item_element(type, live.items[i])) {
      places.emplace(*element, i);
    }
  }
  const NodeType inner = item_type(type);
  for (const JsonValue& item : config.items) {
    const Result<std::string> element = item_element(type, item);
    if (!element) {
      continue;  // typed_errors has refused it
    }
    const auto [place, is_new] = places.emplace(*element, live.items.size());
    if (is_new) {
      live.items.push_back(item);
    } else {
      merge_typed(live.items[place->second], item, inner);
    }
  }
}

template <class Keep>
void keep_members(JsonValue& value, const Keep& keep) {
  for (auto member = value.members.begin(); member != value.members.end();) {
    member = keep(member->first, member->second) ? std::next(member) : value.members.erase(member);
  }
}

template <class Keep>
void keep_items(JsonValue& value, const Keep& keep) {
  std::vector<JsonValue> kept;
  for (JsonValue& item : value.items) {
    if (keep(item)) {
      kept.push_back(std::move(item));
    }
  }
  value.items = std::move(kept);
}

// What of an item or part goes with the rest: its owners' share, or nothing.
class Pruner {
 public:
  // False when nothing of the value is left.
  static bool part(JsonValue& value, const FieldSet* before, const FieldSet* now,
                   const FieldSet* others, const NodeType& type) {
    if (before == nullptr) {
      return true;
    }
    if (before->member && now == nullptr) {
      if (others == nullptr) {
        return false;
      }
      keep_only(value, *others, type);
      return true;
    }
    parts(value, *before, now, others, type);
    return true;
  }

 private:
  static const FieldSet* find(const FieldSet* set, std::string_view element) {
    return set == nullptr ? nullptr : set->find(element);
  }

  static void parts(JsonValue& value, const FieldSet& before, const FieldSet* now,
                    const FieldSet* others, const NodeType& type) {
    const auto survives = [&](const std::string& element, JsonValue& inner,
                              const NodeType& inner_type) {
      return part(inner, before.find(element), find(now, element), find(others, element),
                  inner_type);
    };
    if (type.form == Form::object || type.form == Form::map) {
      keep_members(value, [&](const std::string& name, JsonValue& member) {
        return survives(field_element(name), member, member_type(type, name));
      });
    } else if (!type.is_leaf()) {
      const NodeType inner = item_type(type);
      keep_items(value, [&](JsonValue& item) {
        const Result<std::string> element = item_element(type, item);
        const JsonValue keys = keys_of(item, type);
        const bool survived = !element || survives(*element, item, inner);
        restore(item, keys);
        return survived;
      });
    }
  }

  // The share of an owner: the rest of the value was only there because of what is taken away.
  static void keep_only(JsonValue& value, const FieldSet& owned, const NodeType& type) {
    if (owned.children.empty() || type.is_leaf()) {
      return;
    }
    if (type.form == Form::object || type.form == Form::map) {
      keep_members(value, [&](const std::string& name, JsonValue& member) {
        const FieldSet* inner = owned.find(field_element(name));
        if (inner != nullptr) {
          keep_only(member, *inner, member_type(type, name));
        }
        return inner != nullptr;
      });
      return;
    }
    const NodeType inner_type = item_type(type);
    keep_items(value, [&](JsonValue& item) {
      const Result<std::string> element = item_element(type, item);
      const FieldSet* inner = element ? owned.find(*element) : nullptr;
      if (inner != nullptr) {
        const JsonValue keys = keys_of(item, type);
        keep_only(item, *inner, inner_type);
        restore(item, keys);
      }
      return inner != nullptr;
    });
  }

  // An item that stays keeps its name, whoever owns that.
  static JsonValue keys_of(const JsonValue& item, const NodeType& list) {
    JsonValue keys = JsonValue::object();
    if (list.form == Form::keyed) {
      for (const std::string_view name : key_names(list)) {
        if (const JsonValue* value = item.find(name)) {
          keys.members.emplace(name, *value);
        }
      }
    }
    return keys;
  }
  static void restore(JsonValue& item, const JsonValue& keys) {
    for (const auto& [name, value] : keys.members) {
      item.members.insert_or_assign(name, value);
    }
  }
};

}  // namespace

void merge_typed(JsonValue& live, const JsonValue& config, const NodeType& type) {
  if (type.is_leaf()) {
    live = config;
    return;
  }
  if (type.form == Form::set || type.form == Form::keyed) {
    merge_list(live, config, type);
    return;
  }
  if (!config.is_object()) {
    return;
  }
  if (!live.is_object()) {
    live = JsonValue::object();
  }
  for (const auto& [name, member] : config.members) {
    const auto [place, is_new] = live.members.try_emplace(name);
    if (is_new) {
      place->second = member;
    } else {
      merge_typed(place->second, member, member_type(type, name));
    }
  }
}

void prune_typed(JsonValue& merged, const Ownership& owned, const NodeType& type) {
  Pruner::part(merged, &owned.before, &owned.now, &owned.others, type);
}

}  // namespace windlass::api
