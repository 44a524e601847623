// The least that starting a container can cost: clone3 with the same namespaces, exec and wait,
// without limits, records or logs. What the benchmarks of the supervisor and of nodes are held
// against.
#pragma once

#include <poll.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "base/check.h"
#include "supervisor/child/clone.h"
#include "supervisor/server/container.h"

namespace windlass {

// `at_once` children at a time, each /bin/true as PID 1 of new namespaces.
inline void run_bare_clones(int runs, size_t at_once) {
  std::vector<supervisor::Cloned> running;
  for (int started = 0; started < runs || !running.empty();) {
    while (started < runs && running.size() < at_once) {
      supervisor::Cloned child =
          supervisor::clone_process({CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS, -1});
      CHECK(child.pid >= 0, "namespaces are to be had");
      if (child.pid == 0) {
        ::execl("/bin/true", "true", nullptr);
        ::_exit(127);
      }
      running.push_back(std::move(child));
      ++started;
    }
    std::vector<pollfd> waits;
    for (const supervisor::Cloned& child : running) {
      waits.push_back({child.pidfd.get(), POLLIN, 0});
    }
    ::poll(waits.data(), waits.size(), -1);
    std::erase_if(running, [](const supervisor::Cloned& child) {
      return supervisor::wait_for_end(child.pidfd.get(), WEXITED | WNOHANG).known;
    });
  }
}

}  // namespace windlass
