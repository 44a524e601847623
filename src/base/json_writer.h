// Writes JSON text. Escapes as Go's encoding/json does, so that our output is byte for byte that of
// Kubernetes. Appends to the caller's string; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace windlass {

// The string in quotes. `<`, `>`, `&`, U+2028 and U+2029 are escaped as in HTML-safe Go output
// (api.md M4a); a byte that is not UTF-8 becomes \ufffd.
void append_json_string(std::string_view text, std::string& out);
std::string json_string(std::string_view text);

// A raw string token with its own escapes, and the ones that Go adds when it compacts JSON.
void append_html_safe(std::string_view token, std::string& out);

// For JSON that no message stands for. Writes commas and escapes; the caller keeps the nesting
// right.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& open_object() { return open('{'); }
  JsonWriter& close_object() { return close('}'); }
  JsonWriter& open_list() { return open('['); }
  JsonWriter& close_list() { return close(']'); }

  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view text);
  JsonWriter& number(int64_t value);
  JsonWriter& real(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& null() { return raw("null"); }
  // JSON text as it is.
  JsonWriter& raw(std::string_view json);

  // Key and value in one.
  JsonWriter& member(std::string_view name, std::string_view text) {
    return key(name).string(text);
  }
  template <class Strings>
  JsonWriter& strings(std::string_view name, const Strings& values) {
    key(name).open_list();
    for (const auto& value : values) {
      string(value);
    }
    return close_list();
  }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  // A comma, unless this is the first value here or belongs to a key.
  void separate();

  std::string& out_;
  bool first_ = true;
};

}  // namespace windlass
