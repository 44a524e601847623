#include "apiserver/auth/gate.h"

#include "apiserver/auth/impersonation.h"

namespace windlass::apiserver {

Result<Entry> enter(Result<User> asking, const http::Headers& headers, const RequestInfo& info) {
  TRY(User user, std::move(asking));
  // Also in nobody's name: then what is refused is 403, for there is nothing wrong with who asks.
  const bool known = !user.is_anonymous();
  Entry entry;
  TRY(entry.user, impersonate(std::move(user), headers));
  TRY(entry.check_object, authorize(entry.user, info, known));
  return entry;
}

Result<Admitted> Gate::admit(const http::Request& request) const {
  Admitted admitted;
  TRY(admitted.target, http::parse_target(request.target));
  admitted.info = request_info(request.method, admitted.target);
  TRY(Entry entry, enter(authenticator_.authenticate(request), request.headers, admitted.info));
  admitted.user = std::move(entry.user);
  admitted.check_object = entry.check_object;
  return admitted;
}

}  // namespace windlass::apiserver
