#include "apiserver/auth/parsed_head.h"

#include "apiserver/auth/impersonation.h"

namespace windlass::apiserver {
namespace {

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
