#include "apiserver/auth/gate.h"

#include "apiserver/auth/impersonation.h"

namespace windlass::apiserver {

Result<Admitted> Gate::admit(const http::Request& request) const {
  Admitted admitted;
  TRY(admitted.target, http::parse_target(request.target));
  TRY(User user, authenticator_.authenticate(request));
  TRY(admitted.user, impersonate(std::move(user), request.headers));
  admitted.info = request_info(request.method, admitted.target);
  TRY(admitted.check_object, authorize(admitted.user, admitted.info));
  return admitted;
}

}  // namespace windlass::apiserver
