// Checks the containers that `windlass run` is about to start. An image that is not there is
// replaced by the root file system of this machine, with a note per image. A container without a
// command, whose image has no known entrypoint, is an error. A script in /tmp of this machine is
// not visible in the container, which has a /tmp of its own.
#pragma once

#include "cli/manifests/run_manifests.h"
#include "cli/output/output.h"
#include "env/files.h"
#include "plane/node_settings.h"

namespace windlass::cli {

// False when a container has nothing to run; `output.err` then names it. `images.directory` is set.
bool preflight(const RunPlan& plan, const plane::NodeImages& images, env::Files& files,
               Output& output);

}  // namespace windlass::cli
