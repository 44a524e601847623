#include "cli/output/print_objects.h"

#include "api/codec/json/json.h"
#include "api/codec/yaml/yaml.h"
#include "base/check.h"

namespace windlass::cli {
namespace {

std::string compact_json(const PrintableObject& item) {
  return api::to_json(*item.object, item.kind->type_meta());
}

std::string as_yaml(const std::vector<PrintableObject>& objects) {
  std::string text;
  for (const auto& item : objects) {
    auto yaml = api::json_to_yaml(compact_json(item));
    CHECK(yaml.has_value(), "what the codec writes is JSON");
    text += text.empty() ? "" : "---\n";
    text += *yaml;
  }
  return text;
}

std::string as_json(const std::vector<PrintableObject>& objects, ListShape shape) {
  if (shape == ListShape::for_several && objects.empty()) {
    return "";
  }
  if (shape == ListShape::for_several && objects.size() == 1) {
    const auto& item = objects.front();
    return api::to_json(*item.object, item.kind->type_meta(), api::JsonStyle::pretty) + "\n";
  }
  std::string text = R"({"apiVersion":"v1","items":[)";
  for (size_t i = 0; i < objects.size(); ++i) {
    text += i == 0 ? "" : ",";
    text += compact_json(objects[i]);
  }
  text += R"(],"kind":"List","metadata":{}})";
  return text + "\n";
}

}  // namespace

std::string print_objects(const std::vector<PrintableObject>& objects, OutputFormat format,
                          ListShape shape) {
  return format == OutputFormat::yaml ? as_yaml(objects) : as_json(objects, shape);
}

}  // namespace windlass::cli
