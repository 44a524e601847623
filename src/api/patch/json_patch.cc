#include "api/patch/json_patch.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "api/codec/json/json_scanner.h"

namespace windlass::api {
namespace {

Status too_many_operations(size_t count) {
  Status status;
  status.code = 413;
  status.reason = "RequestEntityTooLarge";
  status.message = "Request entity too large: The allowed maximum operations in a JSON patch is " +
                   std::to_string(kMaxJsonPatchOperations) + ", got " + std::to_string(count);
  return status;
}

// Reference tokens, read as leniently as Kubernetes does: what precedes the first slash does not
// count, and a `~` that begins no escape stands for itself. Nothing without a slash.
using Pointer = std::vector<std::string>;

std::optional<Pointer> parse_pointer(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  Pointer tokens;
  for (size_t i = slash; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (text[i] == '/') {
      tokens.emplace_back();
    } else if (text[i] == '~' && (next == '0' || next == '1')) {
      tokens.back() += next == '0' ? '~' : '/';
      ++i;
    } else {
      tokens.back() += text[i];
    }
  }
  return tokens;
}

// A place in an array of this size: decimal with an optional sign, negative from the end.
std::optional<size_t> parse_index(std::string_view token, size_t size) {
  if (token.starts_with('+') && !token.starts_with("+-")) {
    token.remove_prefix(1);
  }
  int64_t index = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  const auto count = static_cast<int64_t>(size);
  if (index < -count || index >= count) {
    return std::nullopt;
  }
  return static_cast<size_t>(index < 0 ? index + count : index);
}

// A member that an object does not have reads as null, as in Kubernetes, for every operation that
// does not remove it: a patch can then say that something is not there yet.
class Patcher {
 public:
  explicit Patcher(JsonValue& document) : document_(document) {}

  // False when the operation cannot be carried out.
  bool apply(const JsonValue& operation) {
    const JsonValue* op = operation.find("op");
    const JsonValue* path = operation.find("path");
    if (op == nullptr || !op->is_string() || path == nullptr || !path->is_string()) {
      return false;
    }
    const JsonValue* value = operation.find("value");
    if (op->text == "replace" || op->text == "test") {
      const bool replaces = op->text == "replace";
      if (path->text.empty()) {
        return value != nullptr && (replaces ? replace_all(*value) : json_equal(document_, *value));
      }
      const std::optional<Place> place = find(path->text);
      return place && (replaces ? replace(*place, value) : test(*place, value));
    }
    if (op->text == "move" || op->text == "copy") {
      const JsonValue* from = operation.find("from");
      return from != nullptr && from->is_string() &&
             (op->text == "move" ? move(from->text, path->text) : copy(from->text, path->text));
    }
    if (op->text == "add") {
      return add(path->text, value == nullptr ? JsonValue() : *value);
    }
    return op->text == "remove" && take(path->text).has_value();
  }

 private:
  // A member or an item that may or may not be there.
  struct Place {
    JsonValue* parent = nullptr;  // an object or an array
    std::string token = {};
    size_t depth = 0;  // tokens that lead to it
  };

  // False where there can be no such member; nullptr where there is none.
  static bool look(JsonValue& parent, const std::string& token, JsonValue*& found) {
    found = nullptr;
    if (parent.is_object()) {
      found = parent.find(token);
    } else if (parent.is_array()) {
      const auto index = parse_index(token, parent.items.size());
      found = index ? &parent.items[*index] : nullptr;
    }
    return parent.is_object() || found != nullptr;
  }

  std::optional<Place> find(std::string_view text) {
    const std::optional<Pointer> path = parse_pointer(text);
    if (!path) {
      return std::nullopt;
    }
    JsonValue* at = &document_;
    for (size_t i = 0; i + 1 < path->size(); ++i) {
      if (!look(*at, (*path)[i], at) || at == nullptr) {
        return std::nullopt;
      }
    }
    if (!at->is_object() && !at->is_array()) {
      return std::nullopt;
    }
    return Place{at, path->back(), path->size()};
  }

  static bool test(const Place& place, const JsonValue* value) {
    JsonValue* found = nullptr;
    if (!look(*place.parent, place.token, found)) {
      return false;
    }
    if (found == nullptr || found->is_null()) {
      return value == nullptr || value->is_null();
    }
    return value != nullptr && json_equal(*found, *value);
  }

  bool spend(size_t work) {
    work_ += work;
    return work_ <= kMaxJsonPatchWork;
  }

  // The depth of a value, paid for; 0 when that is too much.
  size_t depth_of(const JsonValue& value) {
    if (!spend(1)) {
      return 0;
    }
    size_t deepest = 0;
    const auto look_into = [&](const JsonValue& inner) {
      const size_t depth = depth_of(inner);
      deepest = std::max(deepest, depth);
      return depth != 0;
    };
    for (const JsonValue& item : value.items) {
      if (!look_into(item)) {
        return 0;
      }
    }
    for (const auto& [name, member] : value.members) {
      if (!look_into(member)) {
        return 0;
      }
    }
    return deepest + 1;
  }

  bool fits(size_t at, const JsonValue& value) {
    const size_t depth = depth_of(value);
    return depth != 0 && at + depth <= kMaxJsonDepth;
  }

  bool add(std::string_view path, JsonValue value) {
    const std::optional<Place> place = find(path);
    if (!place || !fits(place->depth, value)) {
      return false;
    }
    if (place->parent->is_object()) {
      place->parent->members.insert_or_assign(place->token, std::move(value));
      return true;
    }
    std::vector<JsonValue>& items = place->parent->items;
    const auto index =
        place->token == "-" ? items.size() : parse_index(place->token, items.size() + 1);
    if (!index || !spend(items.size() - *index)) {
      return false;
    }
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return true;
  }

  bool replace_all(const JsonValue& value) {
    if ((!value.is_object() && !value.is_array()) || !fits(0, value)) {
      return false;
    }
    document_ = value;
    return true;
  }

  bool replace(const Place& place, const JsonValue* value) {
    JsonValue made = value == nullptr ? JsonValue() : *value;
    JsonValue* found = nullptr;
    if (!look(*place.parent, place.token, found) || !fits(place.depth, made)) {
      return false;
    }
    if (found == nullptr) {
      place.parent->members.insert_or_assign(place.token, std::move(made));
    } else {
      *found = std::move(made);
    }
    return true;
  }

  std::optional<JsonValue> take(std::string_view path) {
    const std::optional<Place> place = find(path);
    JsonValue* found = nullptr;
    if (!place || !look(*place->parent, place->token, found) || found == nullptr) {
      return std::nullopt;
    }
    JsonValue taken = std::move(*found);
    if (place->parent->is_object()) {
      place->parent->members.erase(place->token);
      return taken;
    }
    std::vector<JsonValue>& items = place->parent->items;
    const size_t index = *parse_index(place->token, items.size());
    if (!spend(items.size() - index)) {
      return std::nullopt;
    }
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
    return taken;
  }

  bool move(std::string_view from, std::string_view to) {
    std::optional<JsonValue> taken = take(from);
    return taken && add(to, *std::move(taken));
  }

  bool copy(std::string_view from, std::string_view to) {
    const std::optional<Place> place = find(from);
    JsonValue* found = nullptr;
    if (!place || !look(*place->parent, place->token, found)) {
      return false;
    }
    copied_bytes_ += found == nullptr ? 0 : to_json_text(*found).size();
    return copied_bytes_ <= kMaxJsonPatchCopyBytes &&
           add(to, found == nullptr ? JsonValue() : *found);
  }

  JsonValue& document_;
  size_t work_ = 0;
  size_t copied_bytes_ = 0;
};

Status wrong_type(const JsonValue& value, std::string_view go_type) {
  return bad_patch("json: cannot unmarshal " + std::string(json_type_name(value)) + " into Go " +
                   std::string(go_type));
}

}  // namespace

Result<void> apply_json_patch(JsonValue& target, const JsonValue& patch) {
  if (patch.is_null()) {
    return {};
  }
  if (!patch.is_array()) {
    return fail(wrong_type(patch, "value of type []handlers.jsonPatchOp"));
  }
  const std::vector<JsonValue>& all = patch.items;
  for (const JsonValue& operation : all) {
    if (!operation.is_object() && !operation.is_null()) {
      return fail(wrong_type(operation, "value of type handlers.jsonPatchOp"));
    }
    for (const char* name : {"op", "path", "from"}) {
      const JsonValue* member = operation.find(name);
      if (member != nullptr && !member->is_string() && !member->is_null()) {
        return fail(wrong_type(
            *member, "struct field jsonPatchOp." + std::string(name) + " of type string"));
      }
    }
  }
  if (all.size() > kMaxJsonPatchOperations) {
    return fail(too_many_operations(all.size()));
  }
  Patcher patcher(target);
  if (!std::ranges::all_of(all, [&](const auto& operation) { return patcher.apply(operation); })) {
    return fail(rejected_patch());
  }
  return {};
}

}  // namespace windlass::api
