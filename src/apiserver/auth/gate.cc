#include "apiserver/auth/gate.h"

namespace windlass::apiserver {

Result<Admitted> Gate::admit(const http::Request& request) const {
  Admitted admitted;
  TRY(admitted.target, http::parse_target(request.target));
  TRY(admitted.user, authenticator_.authenticate(request));
  admitted.info = request_info(request.method, admitted.target);
  TRY(admitted.check_object, authorize(admitted.user, admitted.info));
  return admitted;
}

}  // namespace windlass::apiserver
