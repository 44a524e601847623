#include "api/codec/json/json_value.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "api/codec/json/json.h"
#include "api/codec/json/json_scanner.h"
#include "api/codec/json/json_text.h"
#include "base/json_writer.h"

namespace windlass::api {
namespace {

using Type = JsonValue::Type;

class JsonValueParser {
 public:
  explicit JsonValueParser(std::string_view text) : scanner_(text) {}

  Result<JsonTree> parse() {
    JsonTree tree;
    if (!value(scanner_.next(), tree.value) || scanner_.next() != JsonToken::end) {
      return fail(bad_request(scanner_.error()));
    }
    tree.duplicates = std::move(duplicates_);
    return tree;
  }

 private:
  // Recursion is bounded by the depth that the scanner accepts.
  bool value(JsonToken token, JsonValue& out) {
    switch (token) {
      case JsonToken::begin_object:
        return object(out);
      case JsonToken::begin_array:
        return array(out);
      case JsonToken::string:
        out.type = Type::string;
        out.text = unescape_json_string(scanner_.text());
        return true;
      case JsonToken::number:
        out.type = Type::number;
        out.text = scanner_.text();
        return true;
      case JsonToken::literal:
        if (scanner_.text() != "null") {
          out.type = Type::boolean;
          out.text = scanner_.text();
        }
        return true;
      default:
        return false;
    }
  }

  bool object(JsonValue& out) {
    out.type = Type::object;
    while (true) {
      const JsonToken token = scanner_.next();
      if (token == JsonToken::end_object) {
        return true;
      }
      if (token != JsonToken::key) {
        return false;
      }
      const std::string name = unescape_json_string(scanner_.text());
      const size_t outer = path_.size();
      extend_path(name);
      const auto [place, is_new] = out.members.try_emplace(name);
      if (!is_new) {
        place->second = JsonValue();
        report_duplicate();
      }
      if (!value(scanner_.next(), place->second)) {
        return false;
      }
      path_.resize(outer);
    }
  }

  bool array(JsonValue& out) {
    out.type = Type::array;
    while (true) {
      const JsonToken token = scanner_.next();
      if (token == JsonToken::end_array) {
        return true;
      }
      const size_t outer = path_.size();
      path_ += "[" + std::to_string(out.items.size()) + "]";
      out.items.emplace_back();
      if (!value(token, out.items.back())) {
        return false;
      }
      path_.resize(outer);
    }
  }

  void extend_path(std::string_view name) {
    if (path_.size() >= kMaxPathBytes) {
      return;
    }
    if (!path_.empty()) {
      path_ += '.';
    }
    path_ += name.substr(0, kMaxPathBytes);
  }

  void report_duplicate() {
    if (duplicates_.size() < kMaxFieldProblems && reported_.insert(path_).second) {
      duplicates_.push_back(path_);
    }
  }

  // Names are the client's to choose, and each duplicate repeats those around it.
  static constexpr size_t kMaxPathBytes = 1024;

  JsonScanner scanner_;
  std::string path_;
  std::vector<std::string> duplicates_;
  std::set<std::string> reported_;  // the same
};

bool number_equal(const std::string& a, const std::string& b) {
  if (a == b) {
    return true;
  }
  const auto is_integer = [](const std::string& text) {
    return text.find_first_of(".eE") == std::string::npos;
  };
  if (is_integer(a) && is_integer(b)) {
    return false;  // also beyond what a double can tell apart
  }
  double left = 0;
  double right = 0;
  std::from_chars(a.data(), a.data() + a.size(), left);
  std::from_chars(b.data(), b.data() + b.size(), right);
  return left == right;
}

void append_go_text(const JsonValue& value, std::string& out) {
  switch (value.type) {
    case Type::null:
      out += "<nil>";
      return;
    case Type::boolean:
    case Type::number:
    case Type::string:
      out += value.text;
      return;
    case Type::array:
      out += '[';
      for (const JsonValue& item : value.items) {
        if (&item != &value.items.front()) {
          out += ' ';
        }
        append_go_text(item, out);
      }
      out += ']';
      return;
    case Type::object:
      out += "map[";
      for (const auto& [name, member] : value.members) {
        if (out.back() != '[') {
          out += ' ';
        }
        out += name + ':';
        append_go_text(member, out);
      }
      out += ']';
      return;
  }
}

}  // namespace

JsonValue JsonValue::string(std::string_view content) {
  return {.type = Type::string, .text = std::string(content)};
}

JsonValue JsonValue::array() {
  return {.type = Type::array};
}

JsonValue JsonValue::object() {
  return {.type = Type::object};
}

bool JsonValue::is_empty() const {
  switch (type) {
    case Type::null:
      return true;
    case Type::string:
      return text.empty();
    case Type::array:
      return items.empty();
    case Type::object:
      return members.empty();
    default:
      return false;
  }
}

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto found = members.find(name);
  return found == members.end() ? nullptr : &found->second;
}

JsonValue* JsonValue::find(std::string_view name) {
  const auto found = members.find(name);
  return found == members.end() ? nullptr : &found->second;
}

Status bad_patch(std::string_view why) {
  return bad_request("error decoding patch: " + std::string(why));
}

Status rejected_patch() {
  Status status;
  status.code = 422;
  status.reason = "Invalid";
  status.message = "the server rejected our request due to an error in our request";
  return status;
}

Result<JsonTree> parse_json_value(std::string_view text) {
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return fail(bad_request("invalid UTF-8 in JSON text"));
  }
  return JsonValueParser(text).parse();
}

void append_json(const JsonValue& value, std::string& out) {
  switch (value.type) {
    case Type::null:
      out += "null";
      return;
    case Type::boolean:
    case Type::number:
      out += value.text;
      return;
    case Type::string:
      append_json_string(value.text, out);
      return;
    case Type::array:
      out += '[';
      for (const JsonValue& item : value.items) {
        if (&item != &value.items.front()) {
          out += ',';
        }
        append_json(item, out);
      }
      out += ']';
      return;
    case Type::object: {
      out += '{';
      bool first = true;
      for (const auto& [name, member] : value.members) {
        if (!first) {
          out += ',';
        }
        first = false;
        append_json_string(name, out);
        out += ':';
        append_json(member, out);
      }
      out += '}';
      return;
    }
  }
}

std::string to_json_text(const JsonValue& value) {
  std::string text;
  append_json(value, text);
  return text;
}

bool json_equal(const JsonValue& a, const JsonValue& b) {
  if (a.type != b.type) {
    return false;
  }
  switch (a.type) {
    case Type::null:
      return true;
    case Type::boolean:
    case Type::string:
      return a.text == b.text;
    case Type::number:
      return number_equal(a.text, b.text);
    case Type::array:
      return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), json_equal);
    case Type::object:
      return std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                        [](const auto& left, const auto& right) {
                          return left.first == right.first && json_equal(left.second, right.second);
                        });
  }
  return false;
}

std::string go_text(const JsonValue& value) {
  std::string text;
  append_go_text(value, text);
  return text;
}

std::string_view json_type_name(const JsonValue& value) {
  switch (value.type) {
    case Type::null:
      return "null";
    case Type::boolean:
      return "bool";
    case Type::number:
      return "number";
    case Type::string:
      return "string";
    case Type::array:
      return "array";
    case Type::object:
      return "object";
  }
  return "";
}

}  // namespace windlass::api
