// The way into the API server: who asks, what for, and whether that is allowed, in this order, for
// every request and before any routing. The answer carries what was parsed on the way, so that
// routing works on the very values that were decided on.
//
//   TRY(Admitted admitted, gate.admit(request));       // 400, 401 or 403
//   ... find the object ...
//   if (admitted.check_object) {                       // a node, and the answer is in the object
//     TRY_VOID(check_object(admitted.user, admitted.info, {name, node_name}));
//   }
//
// Immutable; any thread.
#pragma once

#include "apiserver/auth/authenticator.h"
#include "apiserver/auth/authorizer.h"
#include "apiserver/auth/request_info.h"
#include "http/message.h"
#include "http/target.h"

namespace windlass::apiserver {

// Whose rights count for a request.
struct Entry {
  User user;
  bool check_object = false;
};

// Whether who asks may have this, in somebody else's name if the headers say so; `asking` may be
// the failure to tell who asks.
Result<Entry> enter(Result<User> asking, const http::Headers& headers, const RequestInfo& info);

struct Admitted {
  User user;
  http::Target target;
  RequestInfo info;
  // Call check_object() before the object is shown or changed: with the object as sent for a
  // create, with the stored one for all else. An object that is not there needs no check.
  bool check_object = false;
};

class Gate {
 public:
  explicit Gate(Authenticator authenticator) : authenticator_(std::move(authenticator)) {}

  Result<Admitted> admit(const http::Request& request) const;

 private:
  Authenticator authenticator_;
};

}  // namespace windlass::apiserver
