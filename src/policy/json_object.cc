#include "policy/json_object.h"

#include "api/codec/json_text.h"

namespace windlass::policy {

void JsonObject::add_key(std::string_view key) {
  fields_ += fields_.empty() ? "" : ",";
  api::append_json_string(key, fields_);
  fields_ += ":";
}

void JsonObject::add_text(std::string_view key, std::string_view value) {
  add_key(key);
  api::append_json_string(value, fields_);
}

void JsonObject::add_number(std::string_view key, int64_t value) {
  add_raw(key, std::to_string(value));
}

void JsonObject::add_bool(std::string_view key, bool value) {
  add_raw(key, value ? "true" : "false");
}

void JsonObject::add_raw(std::string_view key, std::string_view json) {
  add_key(key);
  fields_ += json;
}

std::string json_list(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) {
    text += text.size() > 1 ? "," : "";
    text += item;
  }
  return text + "]";
}

}  // namespace windlass::policy
