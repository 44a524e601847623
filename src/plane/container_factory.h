// Makes the env::Containers of a node, for a directory of its own. In production that is a
// supervisor process; tests use simulated ones.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "env/containers.h"
#include "env/env.h"
#include "posix/event_loop.h"

namespace windlass::plane {

enum class ContainerLife {
  with_owner,     // the containers end with the owner, however it ends
  outlive_owner,  // they keep running; the next process that opens the directory has them
};

using ContainerFactory =
    std::function<std::shared_ptr<env::Containers>(const std::string& directory, ContainerLife)>;

// Supervisors of this program, on this loop. The arguments outlive the containers.
ContainerFactory supervised_containers(posix::EventLoop& loop, env::Clock& clock, env::Log& log);

}  // namespace windlass::plane
