// Permission to paths that are no resource: health, version, discovery, schema, metrics. Pure.
#pragma once

#include "apiserver/auth/authorizer.h"

namespace windlass::apiserver {

// Of all users but admins, who may do everything. The others may only read.
bool may_read_path(Role role, const RequestInfo& info);

// The same as a list.
PathRule path_rule(Role role);

}  // namespace windlass::apiserver
