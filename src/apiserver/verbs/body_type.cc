#include "apiserver/verbs/body_type.h"

#include <fmt/format.h>

namespace windlass::apiserver {
namespace {

constexpr const char* kScheme = "pkg/api/legacyscheme/scheme.go:30";

std::string_view version_part(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
}

}  // namespace

api::TypeMeta completed_type(api::TypeMeta given, const api::Kind& wanted) {
  const api::TypeMeta expected = wanted.type_meta();
  if (given.kind.empty()) {
    given.kind = expected.kind;
  }
  if (given.api_version.empty()) {
    given.api_version = expected.api_version;
  }
  return given;
}

std::string type_conflict(const api::TypeMeta& given, const api::Kind& wanted) {
  if (given == wanted.type_meta()) {
    return "";
  }
  const api::Kind* known = api::find_kind(given.api_version, given.kind);
  if (known == nullptr) {
    return fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme \"{}\"",
                       given.kind, given.api_version, kScheme);
  }
  if (known->prototype == wanted.prototype) {
    return "";  // Eviction in its older version, DeleteOptions in any group
  }
  const std::string_view group = wanted.group.empty() ? "core" : wanted.group;
  return fmt::format("converting ({}.{}) to ({}.{}): unknown conversion",
                     version_part(given.api_version), given.kind, group.substr(0, group.find('.')),
                     wanted.kind);
}

}  // namespace windlass::apiserver
