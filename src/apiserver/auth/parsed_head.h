// The head of a request, read once: who asks, for what, and whether that user may have it. Every
// request passes here before any routing, and routing works on the values that were decided on.
//
// Pure; any thread.
#pragma once

#include <memory>

#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/authorizer.h"
#include "apiserver/auth/request_info.h"
#include "apiserver/auth/user.h"
#include "base/result.h"
#include "http/message.h"
#include "http/target.h"

namespace windlass::apiserver {

// Requests in another user's name: `Impersonate-User` and its relatives, as `kubectl --as` sends
// them. Only who may do everything may ask so; from then on the rights of the other one count, and
// nothing else. Extras (`Impersonate-Extra-KEY`) are taken and not kept: no rule here looks at
// them. Pure; any thread.

// Whose rights count: `user` itself without such a header. 403 (or 401, when nothing vouches for
// the user) if it may not; 500, as in Kubernetes, for groups and the like without a user.
Result<User> impersonate(User user, const http::Headers& headers);

// The user whose rights count: the caller, or the user whom the caller impersonates.
struct Authorized {
  User user;
  // Call check_object() before the object is shown or changed: with the object as sent for a
  // create, with the stored one for all else. An object that is not there needs no check.
  bool check_object = false;
};

struct ParsedHead final : http::RequestContext {
  Result<http::Target> target;         // or 400
  RequestInfo info = {};               // of a good target
  Result<Authorized> authorized = {};  // or 401, 403
  bool is_anonymous = true;            // the caller has no credentials
};

// Of a request of this process in the name of a user whom it knows.
std::shared_ptr<ParsedHead> head_of_user(const User& user, const http::Request& head);

// Whose share of the transport's limits the user has.
http::Caller::Rank rank_of(const User& user);

std::shared_ptr<ParsedHead> parse_head(const Authenticator& authenticator,
                                       const http::Request& head, const http::Peer& peer);

}  // namespace windlass::apiserver
