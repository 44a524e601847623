// `windlass down`: stops every `windlass node` that shares a data directory, then the `windlass up`
// of that directory, each with its pods, gracefully, and waits until they are gone. Containers that
// are left to supervisors alone get SIGTERM and 30 seconds.
#pragma once

#include <string>

#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "env/clock.h"
#include "env/files.h"
#include "plane/container_factory.h"
#include "posix/event_loop.h"

namespace windlass::cli {

struct DownOptions {
  std::string data_dir = {};  // "" for default_data_dir()
};

void declare_flags(Flags& flags, DownOptions& options);

// What it works with; all of it outlives the call.
struct DownWorld {
  env::Files& files;
  env::Clock& clock;
  posix::EventLoop& loop;
  const plane::ContainerFactory& containers;
  Output& output;
};

// Blocks.
ExitCode take_down(const DownOptions& options, const DownWorld& world);

}  // namespace windlass::cli
