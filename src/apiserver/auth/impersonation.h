// Requests in another user's name: `Impersonate-User` and its relatives, as `kubectl --as` sends
// them. Only who may do everything may ask so; from then on the rights of the other one count, and
// nothing else. Extras (`Impersonate-Extra-KEY`) are taken and not kept: no rule here looks at
// them. Pure; any thread.
#pragma once

#include "apiserver/auth/user.h"
#include "base/result.h"
#include "http/message.h"

namespace windlass::apiserver {

// Whose rights count: `user` itself without such a header. 403 (or 401, when nothing vouches for
// the user) if it may not; 500, as in Kubernetes, for groups and the like without a user.
Result<User> impersonate(User user, const http::Headers& headers);

}  // namespace windlass::apiserver
