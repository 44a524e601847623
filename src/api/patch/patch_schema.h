// What the schema says about merging one field: keys, list types and the rest of
// proto/options.proto that patches need, found by JSON name. Pure look-ups; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "api/codec/json/json_schema.h"

namespace windlass::api {

// How server-side apply sees a list or a map (x-kubernetes-list-type, x-kubernetes-map-type).
enum class Merging { atomic, set, keyed, granular };

struct PatchRule {
  // Strategic merge patch.
  bool merges = false;              // a list that merges instead of being replaced
  std::string_view merge_key = {};  // empty: a list of plain values
  bool replaces = false;            // an object that is replaced instead of being merged
  // Server-side apply.
  Merging merging = Merging::granular;
  std::vector<std::string_view> keys = {};  // of a keyed list, sorted
};

// Field of an object of this type; nullptr without one, or without a type.
const JsonField* find_field(const JsonStruct* type, std::string_view name);

// Kept for the life of the program.
const PatchRule& patch_rule(const JsonField& field);

// The value of a key that an item of a keyed list may leave out, or "" when it may not.
std::string_view default_key_value(std::string_view key);

}  // namespace windlass::api
