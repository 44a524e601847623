#include "api/patch/merge_lists.h"

#include <algorithm>
#include <map>

namespace windlass::api {
namespace {

using Places = std::map<std::string_view, size_t>;

Places places_of(const std::vector<std::string>& names) {
  Places places;
  for (size_t i = 0; i < names.size(); ++i) {
    places.emplace(names[i], i);
  }
  return places;
}

// A number and a string of the same text are two items.
std::string name_of(const JsonValue& value) {
  return value.is_string() ? "\"" + value.text : value.text;
}

}  // namespace

Result<std::vector<std::string>> item_names(const std::vector<JsonValue>& items,
                                            std::string_view merge_key) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const JsonValue& item : items) {
    if (merge_key.empty()) {
      if (item.is_object() || item.is_array()) {
        return fail(plain_error("expected a list of plain values, but found " + go_text(item)));
      }
      names.push_back(name_of(item));
      continue;
    }
    if (!item.is_object()) {
      return fail(plain_error("expected a map[string]interface {}, but received a " +
                              std::string(json_type_name(item))));
    }
    const JsonValue* key = item.find(merge_key);
    if (key == nullptr) {
      return fail(plain_error("map: " + go_text(item) +
                              " does not contain declared merge key: " + std::string(merge_key)));
    }
    names.push_back(name_of(*key));
  }
  return names;
}

std::vector<size_t> merged_order(const std::vector<std::string>& merged,
                                 const std::vector<std::string>& wanted,
                                 const std::vector<std::string>& before) {
  const Places asked = places_of(wanted);
  const Places stood = places_of(before);
  std::vector<size_t> of_patch;
  std::vector<size_t> of_server;
  for (size_t i = 0; i < merged.size(); ++i) {
    (asked.contains(merged[i]) ? of_patch : of_server).push_back(i);
  }
  std::ranges::stable_sort(of_patch, {}, [&](size_t i) { return asked.at(merged[i]); });

  std::vector<size_t> order;
  order.reserve(merged.size());
  size_t next = 0;
  for (const size_t server_item : of_server) {
    const auto server_place = stood.find(merged[server_item]);
    const auto comes_first = [&](size_t patch_item) {
      const auto place = stood.find(merged[patch_item]);
      return place == stood.end() || server_place == stood.end() ||
             place->second < server_place->second;
    };
    while (next < of_patch.size() && comes_first(of_patch[next])) {
      order.push_back(of_patch[next++]);
    }
    order.push_back(server_item);
  }
  order.insert(order.end(), of_patch.begin() + static_cast<std::ptrdiff_t>(next), of_patch.end());
  return order;
}

bool is_in_order(const std::vector<std::string>& patch, const std::vector<std::string>& order) {
  size_t at = 0;
  for (const std::string& name : patch) {
    while (at < order.size() && order[at] != name) {
      ++at;
    }
    if (at == order.size()) {
      return false;
    }
    ++at;
  }
  return true;
}

}  // namespace windlass::api
