// Finds out, by trying, which namespaces a container can have here. Pure but for the processes it
// starts and reaps.
#pragma once

#include <sys/resource.h>

#include "supervisor/child/child.h"
#include "supervisor/protocol/isolation.h"

namespace windlass::supervisor {

// The best that works: namespaces as root, through a user namespace, or none. Says so in
// `isolation`.
ChildSetting probe_namespaces(bool wanted, rlimit inherited_descriptors, Isolation& isolation);

}  // namespace windlass::supervisor
