#include "api/labels_json.h"

#include <google/protobuf/map.h>

#include "base/json_writer.h"

namespace windlass::api {

BadValue labels_value(const StringMap& labels) {
  if (labels.empty()) {
    return BadValue::null();
  }
  std::string text = "{";
  for (const std::string_view key : sorted_keys(labels)) {
    text += text.size() > 1 ? "," : "";
    append_json_string(key, text);
    text += ':';
    append_json_string(labels.at(std::string(key)), text);
  }
  return BadValue::json(text + "}");
}

}  // namespace windlass::api
