#include "api/patch/typed_compare.h"

#include <map>
#include <set>

namespace windlass::api {
namespace {

using Form = NodeType::Form;

// The parts of a value by path element, each with its type; none for leaves and what is empty.
struct Part {
  const JsonValue* value = nullptr;
  NodeType type;
};
using Parts = std::map<std::string, Part>;

Parts parts_of(const JsonValue& value, const NodeType& type) {
  Parts parts;
  if (type.form == Form::object || type.form == Form::map) {
    for (const auto& [name, member] : value.members) {
      parts.emplace(field_element(name), Part{&member, member_type(type, name)});
    }
  } else if (!type.is_leaf()) {
    for (const JsonValue& item : value.items) {
      if (const Result<std::string> element = item_element(type, item)) {
        parts.emplace(*element, Part{&item, item_type(type)});  // the first of its name counts
      }
    }
  }
  return parts;
}

bool is_list(const NodeType& type) {
  return type.form == Form::set || type.form == Form::keyed;
}

void add_fields(const JsonValue& value, const NodeType& type, FieldSet& to) {
  const Parts parts = parts_of(value, type);
  if (parts.empty()) {
    to.member = true;
    return;
  }
  for (const auto& [element, part] : parts) {
    FieldSet& inner = to.children[element];
    add_fields(*part.value, part.type, inner);
    inner.member = inner.member || is_list(type);
  }
}

// The value and everything in it.
void add_all(const JsonValue& value, const NodeType& type, FieldSet& to) {
  to.member = true;
  for (const auto& [element, part] : parts_of(value, type)) {
    add_all(*part.value, part.type, to.children[element]);
  }
}

// Leaves `to` as it was where nothing differs.
void compare(const JsonValue& before, const JsonValue& after, const NodeType& type, FieldSet& set,
             FieldSet& removed) {
  const Parts old_parts = parts_of(before, type);
  const Parts new_parts = parts_of(after, type);
  if (old_parts.empty() && new_parts.empty()) {
    set.member = !json_equal(before, after);
    return;
  }
  const auto in_child = [](FieldSet& to, const std::string& element, const auto& fill) {
    FieldSet inner;
    fill(inner);
    if (!inner.empty()) {
      to.children.insert_or_assign(element, std::move(inner));
    }
  };
  for (const auto& [element, part] : old_parts) {
    const auto other = new_parts.find(element);
    if (other == new_parts.end()) {
      in_child(removed, element, [&](FieldSet& to) { add_all(*part.value, part.type, to); });
      continue;
    }
    in_child(set, element, [&](FieldSet& set_here) {
      in_child(removed, element, [&](FieldSet& removed_here) {
        compare(*part.value, *other->second.value, part.type, set_here, removed_here);
      });
    });
  }
  for (const auto& [element, part] : new_parts) {
    if (!old_parts.contains(element)) {
      in_child(set, element, [&](FieldSet& to) { add_all(*part.value, part.type, to); });
    }
  }
}

}  // namespace

FieldSet fields_of(const JsonValue& value, const NodeType& type) {
  FieldSet set;
  add_fields(value, type, set);
  set.member = false;
  return set;
}

FieldChanges compare_fields(const JsonValue& before, const JsonValue& after, const NodeType& type) {
  FieldChanges changes;
  compare(before, after, type, changes.set, changes.removed);
  changes.set.member = false;
  return changes;
}

}  // namespace windlass::api
