// A JSON object put together field by field, in the order given. Text only; no schema. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::policy {

class JsonObject {
 public:
  void add_text(std::string_view key, std::string_view value);
  void add_number(std::string_view key, int64_t value);
  void add_bool(std::string_view key, bool value);
  void add_raw(std::string_view key, std::string_view json);

  std::string text() const { return "{" + fields_ + "}"; }

 private:
  void add_key(std::string_view key);
  std::string fields_;
};

std::string json_list(const std::vector<std::string>& items);

}  // namespace windlass::policy
