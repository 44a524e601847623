#include "apiserver/auth/parsed_head.h"

#include <fmt/format.h>

#include <optional>

#include "apiserver/auth/authorizer.h"
#include "http/characters.h"

namespace windlass::apiserver {

namespace {

constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";
constexpr std::string_view kExtraHeader = "Impersonate-Extra-";

struct Impersonated {
  std::string user;
  std::vector<std::string> groups;
  std::string uid;
  std::string listed;  // what comes with the user, as Kubernetes lists it

  void list(std::string_view kind, std::string_view name) {
    listed += fmt::format("{}{{{}  {}    }}", listed.empty() ? "" : " ", kind, name);
  }
};

Impersonated read_headers(const http::Headers& headers) {
  Impersonated asked;
  asked.user = http::find_header(headers, "Impersonate-User").value_or("");
  asked.uid = http::find_header(headers, "Impersonate-Uid").value_or("");
  for (const http::Header& header : headers) {
    if (http::same_ignoring_case(header.name, "Impersonate-Group")) {
      asked.groups.push_back(header.value);
      asked.list("Group", header.value);
    } else if (header.name.size() > kExtraHeader.size() &&
               http::same_ignoring_case(
                   std::string_view(header.name).substr(0, kExtraHeader.size()), kExtraHeader)) {
      asked.list("UserExtra", header.value);
    }
  }
  if (!asked.uid.empty()) {
    asked.list("UID", asked.uid);
  }
  return asked;
}

// NAMESPACE and NAME of `system:serviceaccount:NAMESPACE:NAME`.
std::optional<std::pair<std::string, std::string>> service_account(std::string_view user) {
  if (!user.starts_with(kServiceAccountPrefix)) {
    return std::nullopt;
  }
  user.remove_prefix(kServiceAccountPrefix.size());
  const size_t colon = user.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == user.size() ||
      user.find(':', colon + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return std::pair(std::string(user.substr(0, colon)), std::string(user.substr(colon + 1)));
}

}  // namespace

Result<User> impersonate(User user, const http::Headers& headers) {
  Impersonated asked = read_headers(headers);
  // The answer to a caller without credentials repeats nothing of its request.
  if (user.is_anonymous() && !(asked.user.empty() && asked.listed.empty())) {
    return fail(unauthorized());
  }
  if (asked.user.empty()) {
    if (asked.listed.empty()) {
      return user;
    }
    return fail(
        plain_error(fmt::format("requested [{}] without impersonating a user", asked.listed)));
  }
  const auto account = service_account(asked.user);
  RequestInfo info;
  info.is_resource = true;
  info.verb = "impersonate";
  info.resource = account ? "serviceaccounts" : "users";
  info.ns = account ? account->first : "";
  info.name = account ? account->second : asked.user;
  TRY_VOID(authorize(user, info));
  if (account && asked.groups.empty()) {
    asked.groups = {"system:serviceaccounts", "system:serviceaccounts:" + account->first};
  }
  const User anonymous = anonymous_user();
  User other{asked.user, std::move(asked.groups)};
  if (!other.in_group(anonymous.groups.front())) {
    if (other.name == anonymous.name) {
      other.groups.push_back(anonymous.groups.front());
    } else {
      other = authenticated_user(std::move(other.name), std::move(other.groups));
    }
  }
  other.uid = asked.uid;
  return other;
}

http::Caller::Rank rank_of(const User& user) {
  switch (role_of(user)) {
    case Role::admin:
      return http::Caller::Rank::admin;
    case Role::node:
      return http::Caller::Rank::node;
    default:
      return http::Caller::Rank::ordinary;
  }
}

namespace {

Result<Authorized> authorize_caller(User caller, const http::Headers& headers,
                                    const RequestInfo& info) {
  // An admin who impersonates the anonymous user gets 403, not 401: the credentials are good.
  const bool known = !caller.is_anonymous();
  Authorized authorized;
  TRY(authorized.user, impersonate(std::move(caller), headers));
  TRY(authorized.check_object, authorize(authorized.user, info, known));
  return authorized;
}

}  // namespace

std::shared_ptr<ParsedHead> head_of_user(const User& user, const http::Request& head) {
  auto read = std::make_shared<ParsedHead>();
  read->is_anonymous = false;
  read->caller = {user.name, rank_of(user)};
  read->target = http::parse_target(head.target);
  if (read->target) {
    read->info = request_info(head.method, *read->target);
    read->authorized = authorize_caller(user, {}, read->info);
  }
  return read;
}

std::shared_ptr<ParsedHead> parse_head(const Authenticator& authenticator,
                                       const http::Request& head, const http::Peer& peer) {
  auto read = std::make_shared<ParsedHead>();
  read->target = http::parse_target(head.target);
  if (read->target) {
    read->info = request_info(head.method, *read->target);
  }
  Result<User> caller = authenticator.authenticate(head.headers, peer);
  if (!caller) {
    read->caller.rank = http::Caller::Rank::unknown;
    read->authorized = fail(caller.error());
    return read;
  }
  read->is_anonymous = caller->is_anonymous();
  if (read->is_anonymous) {
    read->caller.rank = http::Caller::Rank::unknown;
  } else {
    read->caller = {caller->name, rank_of(*caller)};
  }
  if (read->target) {
    read->authorized = authorize_caller(*std::move(caller), head.headers, read->info);
  }
  return read;
}

}  // namespace windlass::apiserver
