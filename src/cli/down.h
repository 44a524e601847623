// `windlass down`: ends the `windlass up` of a data directory and its pods, gracefully, and waits
// until both are gone; before that those of every `windlass node` that shares the directory. Where
// none of them runs any more, what their supervisors still hold is killed.
#pragma once

#include "cli/container_factory.h"
#include "cli/output.h"
#include "cli/up_options.h"
#include "env/files.h"
#include "posix/event_loop.h"

namespace windlass::cli {

// Blocks.
ExitCode take_down(const DownOptions& options, env::Files& files, posix::EventLoop& loop,
                   const ContainerFactory& containers, Output& output);

}  // namespace windlass::cli
