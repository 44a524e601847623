#include "supervisor/server/probe.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "supervisor/child/capabilities.h"
#include "supervisor/child/clone.h"
#include "supervisor/child/launch.h"
#include "supervisor/server/container.h"

namespace windlass::supervisor {
namespace {

// 0, or the errno of the clone, or EPERM when what follows it does not work.
int try_setting(const ChildSetting& setting) {
  const Cloned cloned = clone_process({container_namespaces(setting), -1});
  if (cloned.pid == 0) {
    become_probe(setting);
  }
  if (cloned.pid < 0) {
    return errno;
  }
  const ProcessEnd end = wait_for_end(cloned.pidfd.get(), WEXITED);
  return end.known && end.code == 0 ? 0 : EPERM;
}

}  // namespace

ChildSetting probe_namespaces(bool wanted, rlimit inherited_descriptors, Isolation& isolation) {
  ChildSetting setting;
  setting.outer_uid = ::geteuid();
  setting.outer_gid = ::getegid();
  setting.descriptors = inherited_descriptors;
  setting.dropped_capabilities = capabilities_to_drop();
  setting.filter = make_syscall_filter(kept_capabilities(setting.dropped_capabilities));
  setting.namespaces = true;
  int error = wanted ? EPERM : 0;
  if (wanted && setting.outer_uid == 0) {
    setting.machine = find_machine_files(false);
    error = try_setting(setting);
  }
  if (wanted && error != 0) {
    setting.user_namespace = true;
    setting.machine = find_machine_files(true);
    error = try_setting(setting);
  }
  if (!wanted || error != 0) {
    setting.namespaces = false;
    setting.user_namespace = false;
    isolation.missing.push_back(
        "containers are plain process groups: namespaces " +
        (wanted ? "are not to be had: " + std::generic_category().message(error) : "are off"));
  } else if (setting.user_namespace) {
    isolation.missing.emplace_back(
        "containers run in a user namespace: every user in them is the user of the supervisor");
  }
  isolation.namespaces = setting.namespaces;
  isolation.user_namespace = setting.user_namespace;
  return setting;
}

}  // namespace windlass::supervisor
