#include "apiserver/auth/user.h"

#include <algorithm>
#include <utility>

namespace windlass::apiserver {
namespace {

constexpr std::string_view kAnonymous = "system:anonymous";
constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";

}  // namespace

bool User::in_group(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

bool User::is_anonymous() const {
  return !in_group(kAuthenticatedGroup);
}

User anonymous_user() {
  return {std::string(kAnonymous), {std::string(kUnauthenticatedGroup)}};
}

User authenticated_user(std::string name, std::vector<std::string> groups) {
  User user{std::move(name), std::move(groups)};
  if (!user.in_group(kAuthenticatedGroup)) {
    user.groups.emplace_back(kAuthenticatedGroup);
  }
  return user;
}

Role role_of(const User& user) {
  if (user.is_anonymous()) {
    return Role::none;
  }
  if (user.in_group(kAdminGroup)) {
    return Role::admin;
  }
  if (user.in_group(kNodesGroup) && !node_of(user).empty()) {
    return Role::node;
  }
  return user.in_group(kViewerGroup) ? Role::viewer : Role::none;
}

std::string_view node_of(const User& user) {
  const std::string_view name = user.name;
  return name.starts_with(kNodeUserPrefix) ? name.substr(kNodeUserPrefix.size()) : "";
}

}  // namespace windlass::apiserver
