// Whatever parses gives valid JSON, and that JSON written as YAML parses to the same again.
#include <cstdint>
#include <string_view>

#include "api/codec/json/json_scanner.h"
#include "api/codec/yaml/yaml.h"
#include "base/check.h"

namespace {

using namespace windlass::api;

// As YAML, not as the JSON that parse_yaml would take it for.
std::string reparsed(const std::string& yaml) {
  auto documents = parse_yaml(yaml);
  CHECK(documents.has_value(), yaml);
  CHECK(documents->size() == 1, yaml);
  return documents->front().json;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto documents = parse_yaml(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!documents) {
    CHECK(!documents.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  for (const YamlDocument& document : *documents) {
    CHECK(json_syntax_error(document.json).empty(), document.json);
    CHECK(document.find("spec.template").line >= 1, "every document has a position");
    auto yaml = json_to_yaml(document.json);
    CHECK(yaml.has_value(), document.json);
    // Numbers that JSON input kept as they were are written in one way only after this.
    std::string once = reparsed(*yaml);
    CHECK(reparsed(json_to_yaml(once).value()) == once, once);
  }
  return 0;
}
