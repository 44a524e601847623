#include "api/patch/typed_merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "api/patch/typed_compare.h"

namespace windlass::api {
namespace {

using Form = NodeType::Form;

// The names of a list's items; "" for one that has none.
std::vector<std::string> elements_of(const JsonValue& list, const NodeType& type) {
  std::vector<std::string> elements;
  elements.reserve(list.items.size());
  for (const JsonValue& item : list.items) {
    elements.push_back(item_element(type, item).value_or(""));
  }
  return elements;
}

// Two lists with names, and where an item of the one is in the other.
class ListMerge {
 public:
  ListMerge(JsonValue& live, const JsonValue& config, const NodeType& type)
      : live_(live),
        config_(config),
        inner_(item_type(type)),
        live_names_(elements_of(live, type)),
        config_names_(elements_of(config, type)) {
    for (size_t i = 0; i < live_names_.size(); ++i) {
      const auto [place, is_new] = live_places_.emplace(live_names_[i], i);
      if (!is_new) {
        place->second = kTwice;
      }
    }
    for (const std::string& name : config_names_) {
      applied_.insert(name);
    }
    applied_.erase("");
  }

  // The applied items stand in the order of the configuration. An item that only the live list has
  // comes before the applied ones that did not precede it.
  std::vector<JsonValue> take() {
    size_t live = 0;
    size_t config = 0;
    while (live < live_names_.size() || config < config_names_.size()) {
      const bool more_live = live < live_names_.size();
      const std::string* next = next_shared(config);
      if (more_live && !applied_.contains(live_names_[live])) {
        out_.push_back(std::move(live_.items[live++]));
      } else if (more_live && next != nullptr && *next != live_names_[live]) {
        ++live;  // the configuration has it elsewhere
      } else if (more_live && config < config_names_.size() &&
                 live_names_[live] == config_names_[config]) {
        add_applied(config++);
        ++live;
      } else {
        live += more_live && next == nullptr ? 1U : 0U;  // it is there already
        if (config < config_names_.size()) {
          add_applied(config++);
        }
      }
    }
    return std::move(out_);
  }

 private:
  static constexpr size_t kTwice = static_cast<size_t>(-1);

  // The first item from here on that the live list has, too.
  const std::string* next_shared(size_t config) {
    const auto is_shared = [&](const std::string& name) {
      return applied_.contains(name) && live_places_.contains(name);
    };
    shared_ = std::max(shared_, config);
    while (shared_ < config_names_.size() && !is_shared(config_names_[shared_])) {
      ++shared_;
    }
    return shared_ < config_names_.size() ? &config_names_[shared_] : nullptr;
  }

  void add_applied(size_t config) {
    const std::string& name = config_names_[config];
    if (name.empty()) {
      return;  // typed_errors has refused it
    }
    const auto place = live_places_.find(name);
    // An applied item stands alone where the live list has two of its name.
    if (place == live_places_.end() || place->second == kTwice) {
      out_.push_back(config_.items[config]);
      return;
    }
    JsonValue& item = live_.items[std::exchange(place->second, kTwice)];
    merge_typed(item, config_.items[config], inner_);
    out_.push_back(std::move(item));
  }

  JsonValue& live_;
  const JsonValue& config_;
  const NodeType inner_;
  const std::vector<std::string> live_names_;
  const std::vector<std::string> config_names_;
  std::map<std::string_view, size_t> live_places_;
  std::set<std::string_view> applied_;
  size_t shared_ = 0;
  std::vector<JsonValue> out_;
};

void merge_list(JsonValue& live, const JsonValue& config, const NodeType& type) {
  if (!config.is_array()) {
    return;  // null over a list that has items
  }
  if (!live.is_array()) {
    live = JsonValue::array();
  }
  live.items = ListMerge(live, config, type).take();
}

// Takes the fields of the set away, with all that is in them. An object or a list of which nothing
// is left becomes null: that is not stored, but it is still a field of its owner.
void remove_fields(JsonValue& value, const FieldSet& gone, const NodeType& type) {
  if (type.form == Form::object || type.form == Form::map) {
    for (auto member = value.members.begin(); member != value.members.end();) {
      const FieldSet* inner = gone.find(field_element(member->first));
      if (inner != nullptr && inner->member) {
        member = value.members.erase(member);
        continue;
      }
      const NodeType inner_type = member_type(type, member->first);
      if (inner != nullptr && !inner_type.is_leaf()) {
        remove_fields(member->second, *inner, inner_type);
        if (fields_of(member->second, inner_type).empty()) {
          member->second = JsonValue();
        }
      }
      ++member;
    }
  } else if (!type.is_leaf()) {
    std::vector<JsonValue> kept;
    for (JsonValue& item : value.items) {
      const Result<std::string> element = item_element(type, item);
      const FieldSet* inner = element ? gone.find(*element) : nullptr;
      if (inner != nullptr && inner->member) {
        continue;
      }
      if (inner != nullptr) {
        remove_fields(item, *inner, item_type(type));
      }
      kept.push_back(std::move(item));
    }
    value.items = std::move(kept);
  }
}

// The fields that are left when these are taken away.
FieldSet fields_without(JsonValue value, const FieldSet& gone, const NodeType& type) {
  remove_fields(value, gone, type);
  return with_named_fields(fields_of(value, type), type);
}

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

// A field of the schema that only this manager's fields are in goes with all that is in it: the
// defaults of a probe go with the probe. What an owner is left with comes back, and so does what
// this manager has never applied. An item of a list is its own owner's: fields that others have set
// in it do not keep it.
void prune_typed(JsonValue& merged, const Ownership& owned, const NodeType& type) {
  if (owned.before.empty()) {
    return;
  }
  FieldSet managed = owned.others;
  unite(managed, owned.now);
  managed = with_named_fields(std::move(managed), type);
  const FieldSet last = with_named_fields(owned.before, type);
  const FieldSet all = with_named_fields(fields_of(merged, type), type);

  FieldSet unowned = all;
  subtract(unowned, fields_without(merged, last, type));
  subtract(unowned, managed);
  FieldSet gone = all;
  subtract(gone, fields_without(merged, unowned, type));
  remove_fields(merged, intersection(gone, last), type);
}

}  // namespace windlass::api
