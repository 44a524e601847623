// How a node gets its containers: somebody who makes env::Containers for a directory of its own.
// For real that is a supervisor process; tests give simulated ones.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "env/containers.h"
#include "env/env.h"
#include "posix/event_loop.h"

namespace windlass::cli {

enum class ContainerLife {
  with_owner,     // the containers end when the owner is gone, however it went
  outlive_owner,  // they go on; whoever opens the directory next has them
};

using ContainerFactory =
    std::function<std::shared_ptr<env::Containers>(const std::string& directory, ContainerLife)>;

// Supervisors of this very program, on this loop. What is passed outlives what is made.
ContainerFactory supervised_containers(posix::EventLoop& loop, env::Clock& clock, env::Log& log);

}  // namespace windlass::cli
