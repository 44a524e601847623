// Who may do what. Three roles, no rule objects: admin may do everything; viewer may read
// everything but Secrets; a node may do what its agent needs, with its own Node, its own Lease, the
// pods bound to it and what those name. What no rule grants is refused. Decided on the parsed
// request before routing; where the answer depends on an object, the caller shows that object to
// check_object() before anything of it is answered or changed. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/auth/request_info.h"
#include "apiserver/auth/user.h"
#include "base/result.h"

namespace windlass::apiserver {

// Where nodes keep their heartbeats.
inline constexpr std::string_view kNodeLeaseNamespace = "kube-node-lease";

enum class Permission {
  denied,
  allowed,
  depends_on_object,  // allowed if check_object() says so, too
};

Permission permission_of(const User& user, const RequestInfo& info);

// permission_of() as an answer: denied is a 403 as Kubernetes words it, or 401 when no known user
// asks. True when the object has to be checked as well.
Result<bool> authorize(const User& user, const RequestInfo& info, bool known);
// For who asks in their own name.
Result<bool> authorize(const User& user, const RequestInfo& info);

// What check_object() needs to know of an object: of a create the object as sent, of all else the
// object as stored.
struct ObjectFacts {
  std::string_view name = {};
  // spec.nodeName of a Pod; of a ConfigMap or Secret that of a pod that names it, if it is the
  // node that asks.
  std::string_view node_name = {};
};

// For requests where authorize() answered true.
Result<void> check_object(const User& user, const RequestInfo& info, const ObjectFacts& object);

// SelfSubjectAccessReview. `*` as verb, group or resource asks for all of them. What depends on the
// object is not granted in general, and the reason says so.
struct AccessReview {
  bool allowed = false;
  std::string reason = {};
};
AccessReview review_access(const User& user, const RequestInfo& asked);

// SelfSubjectRulesReview: the same rules, listed. `served` are the resources there are.
struct ServedResource {
  std::string_view group;
  std::string_view resource;
};
struct ResourceRule {
  std::vector<std::string> verbs = {};
  std::vector<std::string> groups = {};
  std::vector<std::string> resources = {};  // pods, pods/log, *
  std::vector<std::string> names = {};      // empty for all

  bool operator==(const ResourceRule&) const = default;
};
struct PathRule {
  std::vector<std::string> verbs = {};
  std::vector<std::string> paths = {};  // a * at the end stands for anything

  bool operator==(const PathRule&) const = default;
};
struct RulesReview {
  std::vector<ResourceRule> resources = {};
  std::vector<PathRule> paths = {};
};
RulesReview review_rules(const User& user, std::span<const ServedResource> served);

// Permission to paths that are no resource: health, version, discovery, schema, metrics. Pure.

// Of all users but admins, who may do everything. The others may only read.
bool may_read_path(Role role, const RequestInfo& info);

// The same as a list.
PathRule path_rule(Role role);

}  // namespace windlass::apiserver
