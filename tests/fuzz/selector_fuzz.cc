// Selectors from URLs: no text may crash or hang, and what was parsed prints as text that parses to
// the same selector. The first byte chooses between label and field selectors.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "api/select/field_selector.h"
#include "api/select/label_selector.h"
#include "base/check.h"

namespace {

using windlass::api::FieldSelector;
using windlass::api::LabelSelector;

void check_labels(std::string_view text) {
  const auto selector = LabelSelector::parse(text);
  if (!selector) {
    CHECK(selector.error().code == 400, "a bad selector is a bad request");
    return;
  }
  const std::string printed = selector->text();
  const auto again = LabelSelector::parse(printed);
  CHECK(again && *again == *selector, "print, then parse");
  CHECK(again->text() == printed, "what is printed is stable");
  const std::map<std::string, std::string> labels = {{"a", "b"}, {"n", "5"}};
  CHECK(again->matches(labels) == selector->matches(labels), "equal selectors match alike");
}

void check_fields(std::string_view text) {
  const auto selector = FieldSelector::parse(text);
  if (!selector) {
    CHECK(selector.error().code == 400, "a bad selector is a bad request");
    return;
  }
  const std::string printed = selector->text();
  const auto again = FieldSelector::parse(printed);
  CHECK(again && *again == *selector, "print, then parse");
  CHECK(again->text() == printed, "what is printed is stable");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool labels = !text.starts_with('f');
  text.remove_prefix(text.empty() ? 0 : 1);
  if (labels) {
    check_labels(text);
  } else {
    check_fields(text);
  }
  return 0;
}
