// `windlass backup` and `windlass restore`: the data directory of a `windlass up` (src/backup).
#pragma once

#include <string>

#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "env/files.h"

namespace windlass::cli {

struct BackupOptions {
  std::string backup = {};    // a directory
  std::string data_dir = {};  // "" for default_data_dir()
};

struct RestoreOptions {
  std::string backup = {};
  std::string data_dir = {};
};

void declare_flags(Flags& flags, BackupOptions& options);
void declare_flags(Flags& flags, RestoreOptions& options);

// Both block. Paths are absolute.
ExitCode back_up(const BackupOptions& options, env::Files& files, Output& output);
ExitCode restore(const RestoreOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
