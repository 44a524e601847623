// A terminal for a command in a container: one of the container's own, so that its programs find it
// by name, or else one of the machine's.
#pragma once

#include "base/result.h"

namespace windlass::supervisor {

// In the process that will be the command, inside its namespaces: opens a terminal, makes it the
// process's own and its three streams, and sends the other end of it over `sync`. With the
// container's root, as it may have been prepared by the container: nothing but a terminal is
// opened.
Result<void> take_terminal(int sync);

}  // namespace windlass::supervisor
