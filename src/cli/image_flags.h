// Flags of `windlass image`, and those about images of the commands that run containers. Used while
// arguments are parsed, and not after.
#pragma once

#include "base/result.h"
#include "cli/image_options.h"

namespace CLI {
class App;
}

namespace windlass::cli {

struct ImageCommands {
  CLI::App* image = nullptr;
  CLI::App* add = nullptr;
  CLI::App* list = nullptr;
  CLI::App* remove = nullptr;
};

ImageCommands add_image(CLI::App& app, ImageOptions& options);
Result<void> check_image_flags(const ImageOptions& options);

void add_node_image_flags(CLI::App& command, NodeImages& images);

}  // namespace windlass::cli
