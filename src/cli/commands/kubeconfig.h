// `windlass kubeconfig`: a kubeconfig for one more user of a data directory's cluster, with a new
// client certificate that the directory's authority signs. Read access to the directory is enough;
// the server need not run.
#pragma once

#include <string>

#include "base/time.h"
#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "env/files.h"

namespace windlass::cli {

struct KubeconfigOptions {
  std::string data_dir = {};  // "" for default_data_dir()
  std::string role = "viewer";
  std::string user = {};    // "": the role's name; of a node its own
  std::string server = {};  // "": the one in the data directory's own kubeconfig
};

void declare_flags(Flags& flags, KubeconfigOptions& options);

// Prints it to standard output. data_dir must be set.
ExitCode print_kubeconfig(const KubeconfigOptions& options, env::Files& files, Time now,
                          Output& output);

}  // namespace windlass::cli
