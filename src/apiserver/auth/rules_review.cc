#include "apiserver/auth/authorizer.h"

namespace windlass::apiserver {
namespace {

const std::vector<std::string> kRead = {"get", "list", "watch"};

std::vector<ResourceRule> self_reviews() {
  return {{{"create"},
           {"authorization.k8s.io"},
           {"selfsubjectaccessreviews", "selfsubjectrulesreviews"},
           {}},
          {{"create"}, {"authentication.k8s.io"}, {"selfsubjectreviews"}, {}}};
}

// Asks permission_of() about each resource, so that the list cannot say anything else than it does.
std::vector<ResourceRule> viewer_rules(const User& user, std::span<const ServedResource> served) {
  std::vector<ResourceRule> rules = self_reviews();
  for (const ServedResource& one : served) {
    RequestInfo info;
    info.is_resource = true;
    info.verb = "list";
    info.group = one.group;
    info.resource = one.resource;
    if (permission_of(user, info) == Permission::allowed) {
      const std::string resource(one.resource);
      rules.push_back({kRead, {std::string(one.group)}, {resource, resource + "/status"}, {}});
      if (one.group.empty() && resource == "pods") {
        rules.back().resources.push_back("pods/log");
      }
    }
  }
  return rules;
}

// Those for pods hold for bound pods, and what they name, which a rule cannot say; so they are left
// out, as Kubernetes leaves out what its node authorizer decides.
std::vector<ResourceRule> node_rules(std::string_view node) {
  std::vector<ResourceRule> rules = self_reviews();
  const std::string name(node);
  rules.push_back({{"get", "list", "watch", "update", "patch"}, {""}, {"nodes"}, {name}});
  rules.push_back({{"get", "update", "patch"}, {""}, {"nodes/status"}, {name}});
  rules.push_back(
      {{"get", "update", "patch", "delete"}, {"coordination.k8s.io"}, {"leases"}, {name}});
  rules.push_back({{"create", "update", "patch"}, {"", "events.k8s.io"}, {"events"}, {}});
  return rules;
}

}  // namespace

RulesReview review_rules(const User& user, std::span<const ServedResource> served) {
  const Role role = role_of(user);
  RulesReview review;
  review.paths = {path_rule(role)};
  switch (role) {
    case Role::admin:
      review.resources = {{{"*"}, {"*"}, {"*"}, {}}};
      break;
    case Role::viewer:
      review.resources = viewer_rules(user, served);
      break;
    case Role::node:
      review.resources = node_rules(node_of(user));
      break;
    case Role::none:
      if (!user.is_anonymous()) {
        review.resources = self_reviews();
      }
      break;
  }
  return review;
}

}  // namespace windlass::apiserver
