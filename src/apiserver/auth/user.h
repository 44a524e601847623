// Who asks. A user is a name and groups, as Kubernetes has it; what the user may do follows from
// the groups alone. Plain data; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace windlass::apiserver {

inline constexpr std::string_view kAdminGroup = "system:masters";
inline constexpr std::string_view kViewerGroup = "windlass:viewers";
inline constexpr std::string_view kNodesGroup = "system:nodes";
inline constexpr std::string_view kNodeUserPrefix = "system:node:";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";

struct User {
  std::string name = {};
  std::vector<std::string> groups = {};
  std::string uid = {};  // usually there is none

  bool operator==(const User&) const = default;

  bool in_group(std::string_view group) const;
  bool is_anonymous() const;
};

// Not authenticated.
User anonymous_user();
// Authenticated: the user is in system:authenticated, too.
User authenticated_user(std::string name, std::vector<std::string> groups);

enum class Role { none, admin, viewer, node };

// The greatest role of the user's groups. A node needs the group and a name `system:node:NODE`.
Role role_of(const User& user);
// NODE of `system:node:NODE`; "" for others.
std::string_view node_of(const User& user);

}  // namespace windlass::apiserver
