// The head of a request, read once: who asks, for what, and whether that user may have it. Every
// request passes here before any routing, and routing works on the values that were decided on.
//
// Pure; any thread.
#pragma once

#include <memory>

#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/authorizer.h"
#include "apiserver/auth/request_info.h"
#include "http/message.h"
#include "http/target.h"

namespace windlass::apiserver {

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

std::shared_ptr<ParsedHead> parse_head(const Authenticator& authenticator,
                                       const http::Request& head, const http::Peer& peer);

}  // namespace windlass::apiserver
