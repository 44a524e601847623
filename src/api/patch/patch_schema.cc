#include "api/patch/patch_schema.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "schema/options.pb.h"

namespace windlass::api {
namespace {

Merging merging_of(const JsonField& field, const FieldRule& rule) {
  if (field.shape != JsonShape::list) {
    return rule.atomic_map() ? Merging::atomic : Merging::granular;
  }
  switch (rule.list_type()) {
    case SET:
      return Merging::set;
    case MAP:
      return Merging::keyed;
    case ATOMIC:
      break;
  }
  return Merging::atomic;
}

PatchRule make_rule(const JsonField& field) {
  const FieldRule& stated = field.descriptor->options().GetExtension(field_rule);
  PatchRule made;
  made.merges = stated.merge_set() || !stated.merge_key().empty();
  made.merge_key = stated.merge_key();
  made.replaces = stated.patch_replace();
  made.merging = merging_of(field, stated);
  made.keys.assign(stated.list_map_key().begin(), stated.list_map_key().end());
  std::ranges::sort(made.keys);
  return made;
}

}  // namespace

const JsonField* find_field(const JsonStruct* holder, std::string_view name) {
  return holder == nullptr ? nullptr : holder->find(name, JsonStruct::kMaxFields);
}

const PatchRule& patch_rule(const JsonField& field) {
  static std::shared_mutex& mutex = *new std::shared_mutex;
  static auto& rules = *new std::map<const JsonField*, std::unique_ptr<const PatchRule>>;
  {
    const std::shared_lock lock(mutex);
    if (const auto found = rules.find(&field); found != rules.end()) {
      return *found->second;
    }
  }
  const std::unique_lock lock(mutex);
  std::unique_ptr<const PatchRule>& entry = rules[&field];
  if (!entry) {
    entry = std::make_unique<const PatchRule>(make_rule(field));
  }
  return *entry;
}

std::string_view default_key_value(std::string_view key) {
  return key == "protocol" ? "TCP" : "";
}

}  // namespace windlass::api
