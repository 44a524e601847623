// Containers as the node agent sees them: runs with a name that is never used twice, whose ends are
// kept until an agent has recorded them. The runs outlive the agent; a new agent attaches to
// them. Real: the supervisor process (src/supervisor).
//
// Lives on an executor's thread and calls back there, never inside a call. Callbacks of an object
// that is destroyed do not run; the containers go on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/status.h"
#include "base/time.h"

namespace windlass::env {

struct ContainerMount {
  enum class Kind : uint8_t { bind, tmpfs };
  Kind kind = Kind::bind;
  // Of a bind: a path on the host. Of a tmpfs: its name. All who mount the same name share it, and
  // it is there until the last of their runs is forgotten.
  std::string source;
  std::string target;  // absolute, in the container; made where it is missing
  bool read_only = false;
  uint64_t size_bytes = 0;  // of a tmpfs, when it is made; 0 leaves it to the kernel
  // Below the source, made as directories where it is missing: whatever links are there, what is
  // mounted is in the source. "" is all of it.
  std::string sub_path = {};
  std::optional<uint32_t> group = {};  // of a tmpfs, when it is made: what is in it is the group's

  bool operator==(const ContainerMount&) const = default;
};

// Whether `..` is part of it. Where that leads is for the links on the way to say, which may be
// another container's: nothing is mounted at such a path.
inline bool leads_up(std::string_view path) {
  return ("/" + std::string(path) + "/").find("/../") != std::string::npos;
}

// Without doubled slashes and dots, so that names of parents can be compared.
inline std::string plain_path(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (!part.empty() && part != ".") {
      out.append("/").append(part);
    }
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return out.empty() ? "/" : out;
}

// Whether a plain path is the other one, or below it.
inline bool is_within(std::string_view path, std::string_view parent) {
  return path == parent || parent == "/" ||
         (path.starts_with(parent) && path.size() > parent.size() && path[parent.size()] == '/');
}

// What is taken from a container beyond the usual, or given to it. Only for who has
// ContainerSupport::confinement.
struct ContainerConfinement {
  // Nothing of its root can be written to: only `mounts`, /tmp, and a /dev of its own.
  bool read_only_root = false;
  // Names without CAP_; ALL is all of them. Beyond those that every container has, and without.
  std::vector<std::string> add_capabilities = {};
  std::vector<std::string> drop_capabilities = {};
  std::vector<std::string> sysctls = {};  // kernel.shm_rmid_forced=1: of the IPC namespace only
  bool host_pid = false;                  // sees all processes, and they see it
  bool host_ipc = false;

  bool operator==(const ContainerConfinement&) const = default;
};

// The wall around a container. As it is without a wish, it is that of usual runtimes. Only for who
// has ContainerSupport::boundary.
struct ContainerBoundary {
  bool unmasked_proc = false;  // procMount: Unmasked
  bool unfiltered = false;     // seccompProfile: Unconfined; else system calls are filtered
  // Directories of the host that are empty in the container, but for `mounts` in them; those that
  // are not there are left out.
  std::vector<std::string> hidden = {};

  bool operator==(const ContainerBoundary&) const = default;
};

struct ContainerIsolation {
  std::string root;                    // directory that becomes `/`; "" is the host's own root
  std::string layer = {};              // takes what is written to `root`; made anew, "" is `root`
  std::vector<ContainerMount> mounts;  // outer ones come before inner ones, else in this order
  std::string hostname;                // "" keeps the host's
  bool private_tmp = true;             // an empty /tmp of its own, before `mounts`
  bool private_dev = false;            // a small /dev of its own; always with `root`
  std::optional<uint32_t> uid;         // unset: as the supervisor
  std::optional<uint32_t> gid;
  std::vector<uint32_t> groups;
  bool privileged = false;  // keeps all capabilities
  ContainerConfinement confinement = {};
  ContainerBoundary boundary = {};

  bool operator==(const ContainerIsolation&) const = default;
};

// Zero is no limit.
struct ContainerLimits {
  uint64_t memory_bytes = 0;
  uint64_t pids = 0;
  uint64_t cpu_millis = 0;   // at most this much of one processor, in thousandths
  uint64_t cpu_request = 0;  // weight against others, in thousandths of a processor

  bool operator==(const ContainerLimits&) const = default;
};

struct ContainerRequest {
  std::string id;                    // "<pod uid>/<container>/<attempt>": names this run for ever
  std::vector<std::string> command;  // command[0] is looked up in PATH of `environment`
  std::vector<std::string> environment;  // NAME=value, the whole environment
  std::string working_directory;         // "" is `/`
  std::string log_path;                  // stdout and stderr in CRI format; "" discards them
  ContainerIsolation isolation;
  ContainerLimits limits;

  bool operator==(const ContainerRequest&) const = default;
};

struct ContainerExit {
  int code = 0;    // exit status, or 128 + signal
  int signal = 0;  // 0 when the first process ended by itself
  bool oom_killed = false;
  bool lost = false;  // how it ended is not known; the code is 137
  Time started_at{};
  Time finished_at{};
  // What its processes took, where that is known; nothing of it is kept with the record of the run.
  std::optional<uint64_t> peak_memory_bytes = {};
  std::optional<uint64_t> cpu_microseconds = {};

  bool operator==(const ContainerExit&) const = default;
};

struct ContainerRunInfo {
  enum class State : uint8_t {
    starting,
    running,
    failed,  // never ran; `error` says why
    ended,
  };
  std::string id;
  State state = State::starting;
  std::string error;
  ContainerExit exit;  // once ended; started_at already while it runs

  bool over() const { return state == State::failed || state == State::ended; }
  bool operator==(const ContainerRunInfo&) const = default;
};

struct ContainerExec {
  static constexpr uint64_t kDefaultOutputBytes = 16 * 1024;

  std::string id;  // of the run; the command joins its namespaces and limits
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::string working_directory;
  Duration timeout = seconds(1);
  uint64_t max_output_bytes = kDefaultOutputBytes;  // what comes after it is thrown away
  std::optional<uint32_t> uid;
  std::optional<uint32_t> gid;

  bool operator==(const ContainerExec&) const = default;
};

struct ContainerExecResult {
  int code = 0;
  bool timed_out = false;  // and killed
  std::string output;      // of stdout and stderr together

  bool operator==(const ContainerExecResult&) const = default;
};

// What the processes of a running container take at this moment.
struct ContainerUse {
  std::string id;             // of the run
  uint64_t memory_bytes = 0;  // that only their end gives back: not the page cache
  uint64_t processes = 0;     // and threads

  bool operator==(const ContainerUse&) const = default;
};

// What containers get here, found by trying.
struct ContainerSupport {
  bool mounts = true;                // without them `root` and `mounts` are an error
  bool shared_memory = true;         // containers can mount the same tmpfs
  bool confinement = true;           // ContainerConfinement
  bool boundary = true;              // ContainerBoundary
  bool user_namespaces = false;      // each container has one
  std::vector<std::string> missing;  // sentences for people: what is not there, and why

  bool operator==(const ContainerSupport&) const = default;
};

// The error of a start that nothing came of, not even a run that failed: the same may be asked for
// again. The reason is what the container says meanwhile, which waits.
inline Status not_created(std::string why, std::string reason = "CreateContainerError") {
  return {503, std::move(reason), std::move(why), {}};
}
inline bool is_not_created(const Status& status) {
  return status.code == 503;
}

class Containers {
 public:
  using OnStarted = std::function<void(Result<void>)>;
  using OnExit = std::function<void(const ContainerExit&)>;
  using OnExecDone = std::function<void(Result<ContainerExecResult>)>;
  using OnList = std::function<void(std::vector<ContainerRunInfo>)>;
  using OnSupport = std::function<void(const ContainerSupport&)>;
  using OnUse = std::function<void(const std::vector<ContainerUse>&)>;

  virtual ~Containers() = default;

  // `on_started` runs once; after an error `on_exit` does not follow, otherwise it runs once too.
  // An id that is known already is not started again: the answer is what became of it.
  virtual void start(const ContainerRequest& request, OnStarted on_started, OnExit on_exit) = 0;
  // For a run that an earlier agent started. One that is not known, or never ran, ends as lost.
  virtual void attach(const std::string& id, OnExit on_exit) = 0;
  // Everything that is known and not forgotten, by id.
  virtual void list(OnList on_list) = 0;
  // To the container's first process; SIGKILL takes all of them. After the end it does nothing.
  virtual void signal(const std::string& id, int signal_number) = 0;
  virtual void exec(const ContainerExec& request, OnExecDone on_done) = 0;
  // Its end is written down elsewhere. One that is not over is forgotten when it is; its callbacks
  // do not run any more.
  virtual void forget(const std::string& id) = 0;
  // Of all that run, by id; looks at every process of the machine. None where it cannot be told.
  virtual void use(OnUse on_use) = 0;
  // Answers once it is known.
  virtual void support(OnSupport on_known) = 0;
  // Kills all containers, and ends the process that holds them; `on_done` when nothing of it is
  // left.
  virtual void shut_down(std::function<void()> on_done) = 0;
};

}  // namespace windlass::env
