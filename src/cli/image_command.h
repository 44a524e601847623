// `windlass image`: adds, lists and removes the root file systems of images.
#pragma once

#include "cli/image_options.h"
#include "cli/output.h"
#include "env/files.h"

namespace windlass::cli {

// Paths in `options` are absolute. Blocks while an archive is unpacked.
ExitCode keep_images(const ImageOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
