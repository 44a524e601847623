#include "api/patch/json_patch.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "api/codec/json_scanner.h"
#include "api/patch/json_value.h"
#include "base/check.h"

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

// M91: nothing is said about which operation it was.
Status rejected() {
  Status status;
  status.code = 422;
  status.reason = "Invalid";
  status.message = "the server rejected our request due to an error in our request";
  return status;
}

using Pointer = std::vector<std::string>;

// RFC 6901. Nothing for what is no pointer.
std::optional<Pointer> parse_pointer(std::string_view text) {
  Pointer tokens;
  if (text.empty()) {
    return tokens;
  }
  if (text[0] != '/') {
    return std::nullopt;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') {
      tokens.emplace_back();
    } else if (text[i] != '~') {
      tokens.back() += text[i];
    } else {
      ++i;
      if (i == text.size() || (text[i] != '0' && text[i] != '1')) {
        return std::nullopt;
      }
      tokens.back() += text[i] == '0' ? '~' : '/';
    }
  }
  return tokens;
}

// Decimal, without sign or leading zeros, at most `limit`.
std::optional<size_t> parse_index(const std::string& token, size_t limit) {
  size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  if (error != std::errc() || stop != end || (token.size() > 1 && token[0] == '0') ||
      index > limit) {
    return std::nullopt;
  }
  return index;
}

class Patcher {
 public:
  explicit Patcher(JsonValue& document) : document_(document) {}

  // False when the operation cannot be carried out.
  bool apply(const JsonValue& operation) {
    const JsonValue* op = operation.find("op");
    const std::optional<Pointer> path = pointer(operation, "path");
    if (op == nullptr || !op->is_string() || !path) {
      return false;
    }
    const JsonValue* value = operation.find("value");
    if (op->text == "remove") {
      return take(*path).has_value();
    }
    if (op->text == "move" || op->text == "copy") {
      const std::optional<Pointer> from = pointer(operation, "from");
      return from && (op->text == "move" ? move(*from, *path) : copy(*from, *path));
    }
    if (value == nullptr) {
      return false;
    }
    if (op->text == "add") {
      return add(*path, *value);
    }
    if (op->text == "replace") {
      return replace(*path, *value);
    }
    return op->text == "test" && test(*path, *value);
  }

 private:
  static std::optional<Pointer> pointer(const JsonValue& operation, std::string_view name) {
    const JsonValue* text = operation.find(name);
    return text != nullptr && text->is_string() ? parse_pointer(text->text) : std::nullopt;
  }

  // What the first `count` tokens lead to, or nullptr.
  JsonValue* find(const Pointer& path, size_t count) {
    JsonValue* at = &document_;
    for (size_t i = 0; i < count && at != nullptr; ++i) {
      if (at->is_object()) {
        at = at->find(path[i]);
      } else if (at->is_array()) {
        const auto index = parse_index(path[i], at->items.size());
        at = index && *index < at->items.size() ? &at->items[*index] : nullptr;
      } else {
        at = nullptr;
      }
    }
    return at;
  }

  // A member that an object does not have is null, as in Kubernetes: a patch can then say that
  // something is not there yet.
  bool test(const Pointer& path, const JsonValue& value) {
    if (const JsonValue* found = find(path, path.size())) {
      return json_equal(*found, value);
    }
    const JsonValue* parent = path.empty() ? nullptr : find(path, path.size() - 1);
    return parent != nullptr && parent->is_object() && value.is_null();
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
    const auto look = [&](const JsonValue& inner) {
      const size_t depth = depth_of(inner);
      deepest = std::max(deepest, depth);
      return depth != 0;
    };
    for (const JsonValue& item : value.items) {
      if (!look(item)) {
        return 0;
      }
    }
    for (const auto& [name, member] : value.members) {
      if (!look(member)) {
        return 0;
      }
    }
    return deepest + 1;
  }

  bool fits(const Pointer& path, const JsonValue& value) {
    const size_t depth = depth_of(value);
    return depth != 0 && path.size() + depth <= kMaxJsonDepth;
  }

  bool add(const Pointer& path, JsonValue value) {
    if (!fits(path, value)) {
      return false;
    }
    if (path.empty()) {
      document_ = std::move(value);
      return true;
    }
    JsonValue* parent = find(path, path.size() - 1);
    if (parent == nullptr) {
      return false;
    }
    const std::string& last = path.back();
    if (parent->is_object()) {
      parent->members.insert_or_assign(last, std::move(value));
      return true;
    }
    if (!parent->is_array()) {
      return false;
    }
    const size_t size = parent->items.size();
    const auto index = last == "-" ? size : parse_index(last, size);
    if (!index || !spend(size - *index)) {
      return false;
    }
    parent->items.insert(parent->items.begin() + static_cast<std::ptrdiff_t>(*index),
                         std::move(value));
    return true;
  }

  bool replace(const Pointer& path, const JsonValue& value) {
    JsonValue* found = find(path, path.size());
    if (found == nullptr || !fits(path, value)) {
      return false;
    }
    *found = value;
    return true;
  }

  std::optional<JsonValue> take(const Pointer& path) {
    JsonValue* found = find(path, path.size());
    if (found == nullptr || path.empty()) {
      return std::nullopt;
    }
    JsonValue taken = std::move(*found);
    JsonValue* parent = find(path, path.size() - 1);
    if (parent->is_object()) {
      parent->members.erase(path.back());
      return taken;
    }
    const size_t index = *parse_index(path.back(), parent->items.size());
    if (!spend(parent->items.size() - index)) {
      return std::nullopt;
    }
    parent->items.erase(parent->items.begin() + static_cast<std::ptrdiff_t>(index));
    return taken;
  }

  bool move(const Pointer& from, const Pointer& to) {
    const bool into_itself =
        to.size() > from.size() && std::equal(from.begin(), from.end(), to.begin());
    if (into_itself) {
      return false;
    }
    if (from == to) {
      return find(from, from.size()) != nullptr;
    }
    std::optional<JsonValue> taken = take(from);
    return taken && add(to, *std::move(taken));
  }

  bool copy(const Pointer& from, const Pointer& to) {
    const JsonValue* found = find(from, from.size());
    if (found == nullptr) {
      return false;
    }
    copied_bytes_ += to_json_text(*found).size();
    return copied_bytes_ <= kMaxJsonPatchCopyBytes && add(to, *found);
  }

  JsonValue& document_;
  size_t work_ = 0;
  size_t copied_bytes_ = 0;
};

Status wrong_type(const JsonValue& value, std::string_view go_type) {
  return bad_patch("json: cannot unmarshal " + std::string(json_type_name(value)) +
                   " into Go value of type " + std::string(go_type));
}

}  // namespace

Result<std::string> apply_json_patch(std::string_view target, std::string_view patch) {
  const Result<JsonTree> operations = parse_json_value(patch);
  if (!operations) {
    return fail(bad_patch(operations.error().message));
  }
  if (operations->value.is_null()) {
    return std::string(target);
  }
  if (!operations->value.is_array()) {
    return fail(wrong_type(operations->value, "jsonpatch.Patch"));
  }
  const std::vector<JsonValue>& all = operations->value.items;
  for (const JsonValue& operation : all) {
    if (!operation.is_object() && !operation.is_null()) {
      return fail(wrong_type(operation, "jsonpatch.Operation"));
    }
  }
  if (all.size() > kMaxJsonPatchOperations) {
    return fail(too_many_operations(all.size()));
  }
  Result<JsonTree> document = parse_json_value(target);
  CHECK(document.has_value(), "our own JSON is good");
  Patcher patcher(document->value);
  if (!std::ranges::all_of(all, [&](const auto& operation) { return patcher.apply(operation); })) {
    return fail(rejected());
  }
  return to_json_text(document->value);
}

}  // namespace windlass::api
