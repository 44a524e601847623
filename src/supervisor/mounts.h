// A container's view of the file system, made inside its own mount namespace, by its first process
// before it becomes the container. Everything is opened or made as a detached mount while the
// host's tree is still in place, then attached in the new one, so no path of a source is ever
// looked up inside the container, nor a target outside it.
//
// A target that does not exist is made; on the host's own root that must leave no trace, so the
// directory it is missing in is replaced, for this container, by a tmpfs that shows the same
// entries.
#pragma once

#include "base/result.h"
#include "env/containers.h"

namespace windlass::supervisor {

// The calling process is alone in a new mount namespace. Afterwards its root and working directory
// are the container's root.
Result<void> make_container_view(const env::ContainerIsolation& isolation);

}  // namespace windlass::supervisor
