// Checks the containers that `windlass run` is about to start. An image that is not there is pulled
// when they start, with a note per image; one that cannot be had is an error. A container without a
// command, whose image has no known entrypoint, is an error. A script in /tmp of this machine is
// not visible in the container, which has a /tmp of its own.
#pragma once

#include "cli/manifests/run_manifests.h"
#include "cli/output/output.h"
#include "env/files.h"
#include "plane/node_settings.h"

namespace windlass::cli {

// False when a container has nothing to run; `output.err` then names it. `images.directory` is set.
// `can_pull`: there is a skopeo.
bool preflight(const RunPlan& plan, const plane::NodeImages& images, bool can_pull,
               env::Files& files, Output& output);

}  // namespace windlass::cli
