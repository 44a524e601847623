// What this machine gives a container, found by trying at the supervisor's start. It is told to the
// agent, which says it on the node, so that users know which protections are missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supervisor/protocol/wire.h"

namespace windlass::supervisor {

enum class CgroupVersion : uint8_t { none, v1, v2 };

struct Isolation {
  bool namespaces = false;      // pid, mount, ipc and uts
  bool user_namespace = false;  // through a user namespace: not root
  bool kill_by_cgroup = false;  // a v2 group around every container
  CgroupVersion memory = CgroupVersion::none;
  CgroupVersion pids = CgroupVersion::none;
  CgroupVersion cpu = CgroupVersion::none;
  std::vector<std::string> missing;  // sentences for people: what is not there, and why

  bool operator==(const Isolation&) const = default;
};

template <class A>
void fields(A& archive, Is<Isolation> auto& isolation) {
  archive(isolation.namespaces, isolation.user_namespace, isolation.kill_by_cgroup);
  archive.choice(isolation.memory, CgroupVersion::v2);
  archive.choice(isolation.pids, CgroupVersion::v2);
  archive.choice(isolation.cpu, CgroupVersion::v2);
  archive(isolation.missing);
}

}  // namespace windlass::supervisor
