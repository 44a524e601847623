// A container's view of the file system, made inside its own mount namespace, by its first process
// before it becomes the container. Everything is opened or made as a detached mount while the
// host's tree is still in place, then attached in the new one, so no path of a source is ever
// looked up inside the container, nor a target outside it.
//
// A target that does not exist is made; on the host's own root that must leave no trace, so the
// directory it is missing in is replaced, for this container, by a tmpfs that shows the same
// entries.
#pragma once

#include <vector>

#include "base/result.h"
#include "env/containers.h"

namespace windlass::supervisor {

// The calling process is alone in a new mount namespace. Afterwards its root and working directory
// are the container's root. `memory` has a detached mount for each one of memory, in their order,
// and they are closed. What cannot be had for the container is a not_created() error; what cannot
// be put together of it is a plain one.
Result<void> make_container_view(const env::ContainerIsolation& isolation,
                                 const std::vector<int>& memory);

}  // namespace windlass::supervisor
