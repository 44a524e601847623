// Builds JSON text that no message stands for: discovery, OpenAPI, tables, frames. Commas and
// escapes are its business, the nesting is the caller's. Appends to the caller's string; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace windlass::apiserver {

class JsonBuilder {
 public:
  explicit JsonBuilder(std::string& out) : out_(out) {}

  JsonBuilder& open_object() { return open('{'); }
  JsonBuilder& close_object() { return close('}'); }
  JsonBuilder& open_list() { return open('['); }
  JsonBuilder& close_list() { return close(']'); }

  JsonBuilder& key(std::string_view name);
  JsonBuilder& string(std::string_view text);
  JsonBuilder& number(int64_t value);
  JsonBuilder& boolean(bool value);
  JsonBuilder& null() { return raw("null"); }
  // JSON text as it is.
  JsonBuilder& raw(std::string_view json);

  // key and value in one.
  JsonBuilder& member(std::string_view name, std::string_view text) {
    return key(name).string(text);
  }
  template <class Strings>
  JsonBuilder& strings(std::string_view name, const Strings& values) {
    key(name).open_list();
    for (const auto& value : values) {
      string(value);
    }
    return close_list();
  }

 private:
  JsonBuilder& open(char bracket);
  JsonBuilder& close(char bracket);
  // A comma, unless this is the first value here or belongs to a key.
  void separate();

  std::string& out_;
  bool first_ = true;
};

}  // namespace windlass::apiserver
