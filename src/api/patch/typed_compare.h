// Field sets of JSON trees: what an applied configuration says, and how two states of an object
// differ. Pure; any thread.
#pragma once

#include "api/codec/json/json_value.h"
#include "api/patch/field_set.h"
#include "api/patch/typed_tree.h"

namespace windlass::api {

// All that the tree sets: its leaves, the items of its lists, empty objects. Items that have no
// name are left out.
FieldSet fields_of(const JsonValue& value, const NodeType& type);
// Adds the fields of the schema that lead to a path of the set: `.spec` to one that has
// `.spec.nodeName`. Items of lists are not added, since an item belongs to the owner of its name.
FieldSet with_named_fields(FieldSet set, const NodeType& type);

struct FieldChanges {
  FieldSet set;      // there is another value now
  FieldSet removed;  // there is none any more
};

// A part that is new is in `set` itself, and so is all that is in it.
FieldChanges compare_fields(const JsonValue& before, const JsonValue& after, const NodeType& type);

}  // namespace windlass::api
