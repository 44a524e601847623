// `windlass image`: loads, pulls, lists, shows and removes images of this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "env/files.h"

namespace windlass::cli {

struct ImageOptions {
  enum class Action { load, add, pull, list, inspect, remove, prune };

  Action action = Action::list;
  std::string directory = {};          // "" for `images` in default_data_dir()
  std::string name = {};               // of all but list and prune
  std::string source = {};             // load, add: a file or a directory
  std::string from_static = {};        // instead: a program that needs no libraries
  std::string auth_file = {};          // pull: "" for skopeo's own
  bool all = false;                    // prune
  std::optional<uint64_t> limit = {};  // prune: so many bytes stay
};

// Those of its action.
void declare_flags(Flags& flags, ImageOptions& options);

// Paths in `options` are absolute. Blocks while an image is pulled or unpacked.
ExitCode manage_images(const ImageOptions& options, Output& output);

// 12.3 MB, as container engines print sizes.
std::string size_text(uint64_t bytes);

}  // namespace windlass::cli
