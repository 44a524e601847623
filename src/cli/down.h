// `windlass down`: ends the `windlass up` of a data directory and its pods, gracefully, and waits
// until both are gone; before that those of every `windlass node` that shares the directory. Where
// none of them runs any more, what their supervisors still hold gets SIGTERM and half a minute.
#pragma once

#include "cli/container_factory.h"
#include "cli/output.h"
#include "cli/up_options.h"
#include "env/clock.h"
#include "env/files.h"
#include "posix/event_loop.h"

namespace windlass::cli {

// What it works with; all of it outlives the call.
struct DownWorld {
  env::Files& files;
  env::Clock& clock;
  posix::EventLoop& loop;
  const ContainerFactory& containers;
  Output& output;
};

// Blocks.
ExitCode take_down(const DownOptions& options, const DownWorld& world);

}  // namespace windlass::cli
