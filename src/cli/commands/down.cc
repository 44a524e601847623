#include "cli/commands/down.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/flags/command_line.h"
#include "cli/flags/node_flags.h"
#include "cli/process.h"
#include "node/shutdown/shutdown_mark.h"
#include "plane/local_nodes.h"
#include "posix/error.h"
#include "posix/files/data_directory.h"
#include "posix/files/file_descriptor.h"
#include "supervisor/cgroup/cgroup_files.h"
#include "supervisor/cgroup/cgroups.h"

namespace windlass::cli {
namespace {

// After this, `windlass down` prints which pods it waits for.
constexpr int kPatienceMilliseconds = 5000;

// The directory, so that no `windlass up` comes in between. Without a name: another `windlass down`
// must not take this process for one.
struct Hold {
  Result<std::unique_ptr<env::DataDirectory>> directory;
  bool in_use = false;  // by another process
};

Hold take_hold(const std::string& data_dir) {
  const auto open = [&data_dir] {
    return posix::open_data_directory(data_dir, posix::LockName::none);
  };
  Hold hold{open(), false};
  hold.in_use = !hold.directory && posix::data_directory_in_use(data_dir);
  if (!hold.directory && !hold.in_use) {
    hold.directory = open();  // its owner may have ended just now
  }
  return hold;
}

// A machine that goes down sends SIGPWR; `windlass up` and `windlass node` then end their pods and
// themselves. SIGCONT wakes one that is stopped. An invalid descriptor if it has ended already.
Result<posix::FileDescriptor> tell_to_end(pid_t pid) {
  posix::FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  for (const int number : {SIGPWR, SIGCONT}) {
    if (!process.valid() ||
        ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0) != 0) {
      return errno == ESRCH
                 ? Result<posix::FileDescriptor>(posix::FileDescriptor())
                 : fail(posix::system_error("signal process", fmt::format("{}", pid), errno));
    }
  }
  return process;
}

Result<void> wait_for_end(int process, const std::string& directory, Output& output) {
  pollfd end = {process, POLLIN, 0};
  int patience = kPatienceMilliseconds;
  for (int ready = 0; ready == 0 || (ready < 0 && errno == EINTR);) {
    ready = ::poll(&end, 1, patience);
    if (ready > 0) {
      return {};
    }
    if (ready == 0) {
      output.err(fmt::format("Waiting for the pods of {} to end\n", directory));
      patience = -1;
    }
  }
  return fail(posix::system_error("wait for the process of", directory, errno));
}

// A supervisor that was killed leaves its control groups; only its next start would remove them.
void remove_groups(const std::string& directory, Output& output) {
  constexpr Duration kPatience = seconds(5);
  if (!supervisor::remove_leftover_groups(supervisor::usable_cgroup_mounts(), directory,
                                          kPatience)) {
    output.err(
        fmt::format("warning: cannot remove control group {}: a process in it does not end\n",
                    supervisor::group_name(directory)));
  }
}

// Ends the containers of supervisors without an agent, as their nodes would when they shut down.
// The mark makes the next agent of the node report them so.
void end_supervisors(const std::vector<std::string>& nodes, const DownWorld& world) {
  size_t left = nodes.size();
  std::vector<std::shared_ptr<env::Containers>> open;
  for (const std::string& node : nodes) {
    const auto ended = [&left, &world] {
      if (--left == 0) {
        world.loop.stop();
      }
    };
    open.push_back(
        world.containers(plane::supervisor_directory(node), plane::ContainerLife::outlive_owner));
    if (!plane::has_supervisor(node)) {
      remove_groups(plane::supervisor_directory(node), world.output);
      open.back()->shut_down(ended);
      continue;
    }
    if (const auto marked = node::ShutdownMark(world.files, node).set(world.clock.now()); !marked) {
      world.output.err(fmt::format("warning: {}\n", marked.error().message));
    }
    plane::end_gently(world.loop, world.clock, open.back(), ended);
  }
  if (left > 0) {
    world.loop.run();
  }
}

// A directory that a process holds, and the nodes' own of those that it runs.
struct Place {
  std::string directory;
  std::vector<std::string> nodes;
};

// Stops the processes that hold places, all at the same time, and then the containers of their
// supervisors. An error with one place does not delay the others.
class Stopper {
 public:
  explicit Stopper(const DownWorld& world) : world_(world) {}

  void stop(const std::vector<Place>& places) {
    std::vector<posix::FileDescriptor> told;
    for (const Place& place : places) {
      told.push_back(tell(place));
    }
    for (size_t i = 0; i < places.size(); ++i) {
      if (told[i].valid()) {
        any_ = true;
        note(wait_for_end(told[i].get(), places[i].directory, world_.output));
      }
      note(clear(places[i], told[i].valid()));
    }
  }

  bool any() const { return any_; }  // process was running
  const Result<void>& outcome() const { return outcome_; }

 private:
  // An invalid descriptor where there is no process to wait for.
  posix::FileDescriptor tell(const Place& place) {
    if (!posix::data_directory_in_use(place.directory)) {
      return {};
    }
    const Result<pid_t> owner = posix::data_directory_owner(place.directory);
    if (!owner) {
      // Its owner may have ended just now.
      note(posix::data_directory_in_use(place.directory) ? fail(owner.error()) : Result<void>());
      return {};
    }
    Result<posix::FileDescriptor> process = tell_to_end(*owner);
    if (!process) {
      note(fail(process.error()));
      return {};
    }
    return *std::move(process);
  }

  // One that was killed instead of ending by itself leaves its supervisors, and what they hold.
  Result<void> clear(const Place& place, bool was_told) {
    const Hold hold = take_hold(place.directory);
    if (hold.directory) {
      end_supervisors(place.nodes, world_);
      return {};
    }
    const bool left = std::any_of(place.nodes.begin(), place.nodes.end(), plane::has_supervisor);
    return hold.in_use || (was_told && !left) ? Result<void>() : fail(hold.directory.error());
  }

  void note(const Result<void>& result) {
    if (outcome_ && !result) {
      outcome_ = result;
    }
  }

  const DownWorld& world_;
  bool any_ = false;
  Result<void> outcome_;  // the first error
};

std::vector<Place> joined_nodes(env::Files& files, const std::string& data_dir) {
  std::vector<Place> places;
  for (const std::string& node :
       plane::node_directories(files, plane::joined_nodes_folder(data_dir))) {
    places.push_back({node, {node}});
  }
  return places;
}

}  // namespace

void declare_flags(Flags& flags, DownOptions& options) {
  declare_data_dir(flags, options.data_dir, "Data directory of the `windlass up` to stop");
  flags.paragraph(
      "Stops the pods within their grace periods. API objects stay in the data directory for the "
      "next `windlass up`.");
  flags.exit_codes(
      {{0, "Stopped, or nothing was running"}, {1, "Cannot stop"}, {2, "Wrong usage"}});
}

Command down_command() {
  return make_command<DownOptions>(
      "down", "Stop a `windlass up` and its pods", [](DownOptions options, Output& output) {
        options.data_dir = data_dir_or_default(options.data_dir);
        Process process(0);
        const plane::ContainerFactory containers =
            plane::supervised_containers(process.loop, process.clock, process.log);
        return take_down(options, {process.files, process.clock, process.loop, containers, output});
      });
}

ExitCode take_down(const DownOptions& options, const DownWorld& world) {
  const std::string& data_dir = options.data_dir;
  if (!world.files.type(data_dir)) {
    world.output.err(fmt::format("error: no data directory {}\n", data_dir));
    return ExitCode::failed;
  }
  Stopper stopper(world);
  // Nodes first, while there is a server to report their pods to.
  stopper.stop(joined_nodes(world.files, data_dir));
  stopper.stop(
      {{data_dir, plane::node_directories(world.files, plane::up_nodes_folder(data_dir))}});
  if (!stopper.outcome()) {
    world.output.err(fmt::format("error: {}\n", stopper.outcome().error().message));
    return ExitCode::failed;
  }
  world.output.err(stopper.any() ? "Stopped\n"
                                 : fmt::format("Nothing is running in {}\n", data_dir));
  return ExitCode::ok;
}

}  // namespace windlass::cli
