#include "api/patch/typed_compare.h"

#include <map>

namespace windlass::api {
namespace {

using Form = NodeType::Form;

constexpr std::string_view kFieldPrefix = "f:";

// The parts of a value by path element, each with its type; none for leaves and what is empty.
struct TypedPart {
  const JsonValue* value = nullptr;
  NodeType type;
};
using Parts = std::map<std::string, TypedPart>;

// Calls take(element, part) for each; of several with the same element the first counts.
template <class Take>
void for_each_part(const JsonValue& value, const NodeType& type, const Take& take) {
  if (type.form == Form::object || type.form == Form::map) {
    for (const auto& [name, member] : value.members) {
      take(field_element(name), TypedPart{&member, member_type(type, name)});
    }
  } else if (!type.is_leaf()) {
    for (const JsonValue& item : value.items) {
      if (Result<std::string> element = item_element(type, item)) {
        take(*std::move(element), TypedPart{&item, item_type(type)});
      }
    }
  }
}

Parts parts_of(const JsonValue& value, const NodeType& type) {
  Parts parts;
  for_each_part(value, type, [&parts](std::string element, const TypedPart& part) {
    parts.emplace(std::move(element), part);
  });
  return parts;
}

bool is_list(const NodeType& type) {
  return type.form == Form::set || type.form == Form::keyed;
}

void put_child(FieldSet& to, const std::string& element, FieldSet inner) {
  if (!inner.empty()) {
    to.children.insert_or_assign(element, std::move(inner));
  }
}

// A list without items sets nothing, as its items are what has owners (M104). An object without
// members is a field itself.
void add_fields(const JsonValue& value, const NodeType& type, FieldSet& to) {
  const Parts parts = parts_of(value, type);
  if (parts.empty()) {
    to.member = !is_list(type) || value.is_null();
    return;
  }
  for (const auto& [element, part] : parts) {
    FieldSet inner;
    add_fields(*part.value, part.type, inner);
    inner.member = inner.member || is_list(type);
    put_child(to, element, std::move(inner));
  }
}

// The value and everything in it.
FieldSet all_of(const TypedPart& part) {
  FieldSet all;
  all.member = true;
  for_each_part(*part.value, part.type, [&all](std::string element, const TypedPart& inner) {
    if (const auto [place, is_new] = all.children.try_emplace(std::move(element)); is_new) {
      place->second = all_of(inner);
    }
  });
  return all;
}

FieldChanges compare(const JsonValue& before, const JsonValue& after, const NodeType& type) {
  FieldChanges changes;
  const Parts old_parts = parts_of(before, type);
  const Parts new_parts = parts_of(after, type);
  if (old_parts.empty() && new_parts.empty()) {
    changes.set.member = !json_equal(before, after);
    return changes;
  }
  for (const auto& [element, part] : old_parts) {
    const auto other = new_parts.find(element);
    if (other == new_parts.end()) {
      put_child(changes.removed, element, all_of(part));
      continue;
    }
    FieldChanges inner = compare(*part.value, *other->second.value, part.type);
    put_child(changes.set, element, std::move(inner.set));
    put_child(changes.removed, element, std::move(inner.removed));
  }
  for (const auto& [element, part] : new_parts) {
    if (!old_parts.contains(element)) {
      put_child(changes.set, element, all_of(part));
    }
  }
  return changes;
}

}  // namespace

FieldSet fields_of(const JsonValue& value, const NodeType& type) {
  FieldSet set;
  add_fields(value, type, set);
  set.member = false;
  return set;
}

FieldSet with_named_fields(FieldSet set, const NodeType& type) {
  for (auto& [element, inner] : set.children) {
    const bool named = type.form == Form::object && element.starts_with(kFieldPrefix);
    const NodeType inner_type =
        named ? member_type(type, std::string_view(element).substr(kFieldPrefix.size()))
              : item_type(type);
    inner = with_named_fields(std::move(inner), inner_type);
    inner.member = inner.member || (named && inner_type.field != nullptr);
  }
  return set;
}

FieldChanges compare_fields(const JsonValue& before, const JsonValue& after, const NodeType& type) {
  FieldChanges changes = compare(before, after, type);
  changes.set.member = false;
  return changes;
}

}  // namespace windlass::api
