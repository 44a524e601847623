// `windlass image`: adds, lists and removes the root file systems of images.
#pragma once

#include <string>

#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "env/files.h"

namespace windlass::cli {

struct ImageOptions {
  enum class Action { add, list, remove };

  Action action = Action::list;
  std::string directory = {};    // "" for `images` in default_data_dir()
  std::string name = {};         // add, remove
  std::string source = {};       // add: a directory or a tar archive
  std::string from_static = {};  // add, instead: a program that needs no libraries
};

// Those of its action.
void declare_flags(Flags& flags, ImageOptions& options);

// Paths in `options` are absolute. Blocks while an archive is unpacked.
ExitCode manage_images(const ImageOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
