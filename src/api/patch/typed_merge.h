// Server-side apply on trees: a configuration laid over a live object, and the removal of what its
// manager has applied before and does not any more (api.md M103, M104). Pure; any thread.
#pragma once

#include <string>

#include "api/codec/json/json_value.h"
#include "api/patch/field_set.h"
#include "api/patch/typed_tree.h"

namespace windlass::api {

// The applied items of a list stand in the order of the configuration; the others keep their place
// among those that precede them.
void merge_typed(JsonValue& live, const JsonValue& config, const NodeType& type);

struct Ownership {
  FieldSet before;  // what the manager applied last time
  FieldSet now;     // what it applies this time
  FieldSet others;  // owned by other managers
};

// Takes away from the merged object what is only in `before`, and with a list item or a field all
// that is in it (M103).
void prune_typed(JsonValue& merged, const Ownership& owned, const NodeType& type);

// What is wrong with a configuration, one line each, or nothing (M111): fields the schema does not
// know, values of the wrong type, list items without a name or with one given twice.
std::string typed_errors(const JsonValue& config, const NodeType& type);

}  // namespace windlass::api
