// The texts of decoding problems (api.md M31, M110).
#include <fmt/format.h>

#include "api/codec/json/json.h"
#include "base/quote.h"

namespace windlass::api {

std::string FieldProblem::text() const {
  return fmt::format("{} field {}", type == Type::unknown ? "unknown" : "duplicate", quote(path));
}

std::string strict_error_text(const std::vector<FieldProblem>& problems) {
  std::string text = "strict decoding error: ";
  bool first = true;
  for (const FieldProblem& problem : problems) {
    if (!first) {
      text += ", ";
    }
    first = false;
    text += problem.text();
  }
  return text;
}

Status cannot_be_handled(const TypeMeta& given, std::string_view wanted_kind, const Status& error) {
  size_t slash = given.api_version.find('/');
  std::string_view version =
      std::string_view(given.api_version).substr(slash == std::string::npos ? 0 : slash + 1);
  return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", given.kind,
                                 version, wanted_kind, error.message));
}

}  // namespace windlass::api
