#include "apiserver/auth/authorizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>

#include "base/quote.h"

namespace windlass::apiserver {

namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

// Everybody may ask what they may do.
bool is_self_review(const RequestInfo& info) {
  return info.verb == "create" && info.subresource.empty() &&
         ((info.group == "authorization.k8s.io" &&
           one_of(info.resource, {"selfsubjectaccessreviews", "selfsubjectrulesreviews"})) ||
          (info.group == "authentication.k8s.io" && info.resource == "selfsubjectreviews"));
}

bool viewer_may(const RequestInfo& info) {
  if (info.resource == "*" || info.group == "*") {
    return false;  // that would be Secrets, too
  }
  // Of the sub-resources only those that are known to show and not to act.
  return info.is_read() && !(info.group.empty() && info.resource == "secrets") &&
         one_of(info.subresource, {"", "status", "log"});
}

Permission node_may_with_nodes(const RequestInfo& info, std::string_view node) {
  if (info.verb == "create" && info.subresource.empty()) {
    return Permission::depends_on_object;  // its name is in the body
  }
  const bool own = info.name == node;
  const bool allowed =
      (info.subresource.empty() &&
       one_of(info.verb, {"get", "list", "watch", "update", "patch"})) ||
      (info.subresource == "status" && one_of(info.verb, {"get", "update", "patch"}));
  return own && allowed ? Permission::allowed : Permission::denied;
}

Permission node_may_with_pods(const RequestInfo& info, std::string_view node) {
  if (info.subresource.empty() && one_of(info.verb, {"list", "watch"})) {
    return info.selected_node == node ? Permission::allowed : Permission::denied;
  }
  // A delete: the agent removes a pod once its containers have ended.
  const bool may = (info.subresource.empty() && one_of(info.verb, {"get", "delete"})) ||
                   (info.subresource == "status" && one_of(info.verb, {"get", "update", "patch"}));
  return may ? Permission::depends_on_object : Permission::denied;
}

Permission node_may_with_leases(const RequestInfo& info, std::string_view node) {
  if (info.ns != kNodeLeaseNamespace || !info.subresource.empty()) {
    return Permission::denied;
  }
  if (info.verb == "create") {
    return Permission::depends_on_object;
  }
  return info.name == node && one_of(info.verb, {"get", "update", "patch", "delete"})
             ? Permission::allowed
             : Permission::denied;
}

// Those that pods bound to it name.
Permission node_may_with_files(const RequestInfo& info) {
  return info.verb == "get" && info.subresource.empty() ? Permission::depends_on_object
                                                        : Permission::denied;
}

Permission node_may(const RequestInfo& info, std::string_view node) {
  if (info.group.empty() && info.resource == "nodes") {
    return node_may_with_nodes(info, node);
  }
  if (info.group.empty() && info.resource == "pods") {
    return node_may_with_pods(info, node);
  }
  if (info.group.empty() && one_of(info.resource, {"configmaps", "secrets"})) {
    return node_may_with_files(info);
  }
  if (info.group == "coordination.k8s.io" && info.resource == "leases") {
    return node_may_with_leases(info, node);
  }
  const bool events = info.resource == "events" && info.subresource.empty() &&
                      (info.group.empty() || info.group == "events.k8s.io");
  return events && one_of(info.verb, {"create", "update", "patch"}) ? Permission::allowed
                                                                    : Permission::denied;
}

// As Kubernetes says it (api.md M28).
Status refused(const User& user, const RequestInfo& info, std::string_view reason) {
  Status status;
  status.code = 403;
  status.reason = "Forbidden";
  status.details.name = info.name;
  status.details.group = info.group;
  status.details.kind = info.resource;
  if (!info.is_resource) {
    status.message = fmt::format("forbidden: User {} cannot {} path {}", quote(user.name),
                                 info.verb, quote(info.path));
    return status;
  }
  const std::string resource =
      info.subresource.empty() ? info.resource : info.resource + '/' + info.subresource;
  const std::string about = info.group.empty() ? info.resource : info.resource + '.' + info.group;
  const std::string name = info.name.empty() ? "" : ' ' + quote(info.name);
  const std::string where =
      info.ns.empty() ? "at the cluster scope" : "in the namespace " + quote(info.ns);
  status.message =
      fmt::format("{}{} is forbidden: User {} cannot {} resource {} in API group {} {}", about,
                  name, quote(user.name), info.verb, quote(resource), quote(info.group), where);
  if (!reason.empty()) {
    status.message += fmt::format(": {}", reason);
  }
  return status;
}

}  // namespace

Permission permission_of(const User& user, const RequestInfo& info) {
  const Role role = role_of(user);
  if (role == Role::admin) {
    return Permission::allowed;
  }
  if (!info.is_resource) {
    return may_read_path(role, info) ? Permission::allowed : Permission::denied;
  }
  // Nothing below a sub-resource is served, so no user gets rules for it.
  if (user.is_anonymous() || info.has_more_segments) {
    return Permission::denied;
  }
  if (is_self_review(info)) {
    return Permission::allowed;
  }
  switch (role) {
    case Role::node:
      return node_may(info, node_of(user));
    case Role::viewer:
      return viewer_may(info) ? Permission::allowed : Permission::denied;
    default:
      return Permission::denied;
  }
}

Result<bool> authorize(const User& user, const RequestInfo& info, bool known) {
  const Permission access = permission_of(user, info);
  if (access == Permission::denied) {
    return fail(known ? refused(user, info, "") : unauthorized());
  }
  return access == Permission::depends_on_object;
}

Result<bool> authorize(const User& user, const RequestInfo& info) {
  return authorize(user, info, !user.is_anonymous());
}

Result<void> check_object(const User& user, const RequestInfo& info, const ObjectFacts& object) {
  const std::string_view node = node_of(user);
  const bool own = one_of(info.resource, {"pods", "configmaps", "secrets"})
                       ? object.node_name == node
                       : object.name == node;
  if (role_of(user) == Role::node && own) {
    return {};
  }
  return fail(refused(
      user, info, fmt::format("no relationship found between node '{}' and this object", node)));
}

AccessReview review_access(const User& user, const RequestInfo& asked) {
  switch (permission_of(user, asked)) {
    case Permission::allowed:
      return {true, ""};
    case Permission::depends_on_object:
      return {false, "only for objects that belong to this node"};
    default:
      return {false, ""};
  }
}

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
