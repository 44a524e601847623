// Waits until the store has committed a revision that a client has heard of, or says that it is
// not going to (api.md M64). Core executor only.
#pragma once

#include <functional>

#include "apiserver/rest/rest_context.h"

namespace windlass::apiserver {

inline constexpr Duration kVersionWait = seconds(3);

// `then` runs inside this call when the revision is there already.
void wait_for_version(RestContext& context, store::Revision revision,
                      const std::function<void(Result<void>)>& then);

}  // namespace windlass::apiserver
