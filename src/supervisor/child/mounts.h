// A container's view of the file system, made inside its own mount namespace, by its first process
// before it becomes the container. Everything is opened or made as a detached mount while the
// host's tree is still in place, then attached in the new one, so no path of a source is ever
// looked up inside the container, nor a target outside it.
//
// A target that does not exist is made; on the host's own root that must leave no trace, so the
// directory it is missing in is replaced, for this container, by a tmpfs that shows the same
// entries.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "env/containers.h"
#include "supervisor/child/boundary.h"

namespace windlass::supervisor {

struct ViewSources {
  std::vector<int> memory;  // a detached mount for each mount of memory, in their order; closed
  // Of the container's v1 groups: the directory, and where programs look for it.
  std::vector<std::pair<std::string, std::string>> cgroups;
};

// The calling process is alone in a new mount namespace. Afterwards its root and working directory
// are the container's root. What cannot be had for the container is a not_created() error; what
// cannot be put together of it is a plain one.
Result<void> make_container_view(const env::ContainerIsolation& isolation,
                                 const MachineFiles& machine, const ViewSources& sources);

}  // namespace windlass::supervisor
