// The supervisor as a program: `windlass supervisor --dir DIR`. Must be called on a process with
// one thread.
#pragma once

#include "base/result.h"
#include "supervisor/server/supervisor.h"

namespace windlass::supervisor {

// Returns when the supervisor was told to end, or its directory is gone. A second one for the same
// directory fails with the number of the first.
Result<void> serve(const SupervisorOptions& options);

}  // namespace windlass::supervisor
