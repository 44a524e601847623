// The API server's rules for a change of Job status (api.md 1.7, J121-J141), on the engine's own
// structs. Tests and simulations hold every status the engine emits against them: a refused status
// would be written again and again for ever.
#pragma once

#include <string>
#include <vector>

#include "engine/types.h"

namespace windlass::engine {

// The rules that `next` breaks, each as "J141: ready 2 > active 1"; empty when the server would
// store it.
std::vector<std::string> broken_status_rules(const JobSpec& spec, const JobStatus& old,
                                             const JobStatus& next);

}  // namespace windlass::engine
