// Looks at what `windlass run` is about to start, before it does. An image that was not added
// stands for this machine's own root, which is said once per image. A container that leaves its
// command to an image whose entrypoint is not known would run nothing, and is an error. A script in
// this machine's /tmp is not in the container, which has a /tmp of its own.
#pragma once

#include "cli/image_options.h"
#include "cli/output.h"
#include "cli/run_manifests.h"
#include "env/files.h"

namespace windlass::cli {

// False when a container has nothing to run; `output.err` then names it. `images.directory` is set.
bool preflight(const RunPlan& plan, const NodeImages& images, env::Files& files, Output& output);

}  // namespace windlass::cli
