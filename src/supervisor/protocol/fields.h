// How env's container types look as bytes (wire.h). Fields are only ever added at the end, together
// with a new kProtocolVersion, and only to what one of an older version is never asked for.
#pragma once

#include "env/containers.h"
#include "supervisor/protocol/wire.h"

namespace windlass::env {

template <class A>
void fields(A& archive, supervisor::Is<ContainerMount> auto& mount) {
  archive.choice(mount.kind, ContainerMount::Kind::tmpfs);
  archive(mount.source, mount.target, mount.read_only, mount.size_bytes, mount.sub_path);
  if (mount.kind == ContainerMount::Kind::tmpfs) {
    archive(mount.group);
  }
}

template <class A>
void fields(A& archive, supervisor::Is<ContainerConfinement> auto& confinement) {
  archive(confinement.read_only_root, confinement.add_capabilities, confinement.drop_capabilities,
          confinement.sysctls, confinement.host_pid, confinement.host_ipc);
}

template <class A>
void fields(A& archive, supervisor::Is<ContainerBoundary> auto& boundary) {
  archive(boundary.unmasked_proc, boundary.unfiltered, boundary.hidden);
}

// Without its confinement and its boundary, which have messages of their own.
template <class A>
void fields(A& archive, supervisor::Is<ContainerIsolation> auto& isolation) {
  archive(isolation.root, isolation.mounts, isolation.hostname, isolation.private_tmp,
          isolation.private_dev, isolation.uid, isolation.gid, isolation.groups,
          isolation.privileged, isolation.layer);
}

template <class A>
void fields(A& archive, supervisor::Is<ContainerLimits> auto& limits) {
  archive(limits.memory_bytes, limits.pids, limits.cpu_millis, limits.cpu_request);
}

template <class A>
void fields(A& archive, supervisor::Is<ContainerRequest> auto& request) {
  archive(request.id, request.command, request.environment, request.working_directory,
          request.log_path, request.isolation, request.limits);
}

// Without what it took, which has a message of its own, and is not in the journal.
template <class A>
void fields(A& archive, supervisor::Is<ContainerExit> auto& exit) {
  archive(exit.code, exit.signal, exit.oom_killed, exit.lost, exit.started_at, exit.finished_at);
}

template <class A>
void fields(A& archive, supervisor::Is<ContainerRunInfo> auto& run) {
  archive(run.id);
  archive.choice(run.state, ContainerRunInfo::State::ended);
  archive(run.error, run.exit);
}

template <class A>
void fields(A& archive, supervisor::Is<ContainerExec> auto& exec) {
  archive(exec.id, exec.command, exec.environment, exec.working_directory, exec.timeout,
          exec.max_output_bytes, exec.uid, exec.gid);
}

template <class A>
void fields(A& archive, supervisor::Is<ContainerExecResult> auto& result) {
  archive(result.code, result.timed_out, result.output);
}

template <class A>
void fields(A& archive, supervisor::Is<ContainerUse> auto& use) {
  archive(use.id, use.memory_bytes, use.processes);
}

}  // namespace windlass::env
