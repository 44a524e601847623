// Which capabilities a container has: those of the usual runtimes without making devices, changed
// by what its security context adds and drops. Pure, but for the kernel's own list.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace windlass::supervisor {

// Those that a container without a wish of its own does not keep, of the ones that there are.
std::vector<int> capabilities_to_drop();
// All others that there are.
std::vector<int> kept_capabilities(const std::vector<int>& dropped);
// The same for one that adds and drops some, by their names without CAP_; ALL is all of them. An
// error names one that there is not.
Result<std::vector<int>> capabilities_to_drop(const std::vector<std::string>& added,
                                              const std::vector<std::string>& dropped);

}  // namespace windlass::supervisor
