#pragma once

#include <string_view>

#include "base/status.h"

namespace windlass::net {

// `read certificate: bad end line`: the oldest error of OpenSSL's queue on this thread, which is
// empty afterwards.
Status openssl_error(std::string_view operation);

}  // namespace windlass::net
