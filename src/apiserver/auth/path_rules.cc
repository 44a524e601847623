#include "apiserver/auth/path_rules.h"

#include <algorithm>
#include <span>

namespace windlass::apiserver {
namespace {

// Probes and `kubectl version` work without credentials. Exactly these: what is below them
// (/healthz/NAME, ?verbose) tells more, but no more than to a reader.
constexpr std::string_view kPublic[] = {"/healthz", "/livez", "/readyz", "/version", "/version/"};

constexpr std::string_view kDiscovery[] = {"/api",     "/api/*",     "/apis",
                                           "/apis/*",  "/healthz/*", "/livez/*",
                                           "/openapi", "/openapi/*", "/readyz/*"};

constexpr std::string_view kViewerToo[] = {"/configz", "/metrics"};

bool matches(std::string_view rule, std::string_view path) {
  if (rule.ends_with('*')) {
    return path.starts_with(rule.substr(0, rule.size() - 1));
  }
  return path == rule;
}

bool any_matches(std::span<const std::string_view> rules, std::string_view path) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](std::string_view rule) { return matches(rule, path); });
}

}  // namespace

bool may_read_path(Role role, const RequestInfo& info) {
  if (info.verb != "get" && info.verb != "head") {
    return false;
  }
  return any_matches(kPublic, info.path) ||
         (role != Role::none && any_matches(kDiscovery, info.path)) ||
         (role == Role::viewer && any_matches(kViewerToo, info.path));
}

PathRule path_rule(Role role) {
  PathRule rule;
  if (role == Role::admin) {
    return {{"*"}, {"*"}};
  }
  rule.verbs = {"get"};
  rule.paths.assign(std::begin(kPublic), std::end(kPublic));
  if (role != Role::none) {
    rule.paths.insert(rule.paths.end(), std::begin(kDiscovery), std::end(kDiscovery));
  }
  if (role == Role::viewer) {
    rule.paths.insert(rule.paths.end(), std::begin(kViewerToo), std::end(kViewerToo));
  }
  return rule;
}

}  // namespace windlass::apiserver
