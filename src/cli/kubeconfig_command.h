// `windlass kubeconfig`: a kubeconfig for one more user of a data directory's cluster, with a new
// client certificate that the directory's authority signs. Whoever may read the directory may do
// this; the server need not run, and need not be told.
#pragma once

#include "base/time.h"
#include "cli/output.h"
#include "cli/up_options.h"
#include "env/files.h"

namespace windlass::cli {

// Prints it to standard output. data_dir must be set.
ExitCode print_kubeconfig(const KubeconfigOptions& options, env::Files& files, Time now,
                          Output& output);

}  // namespace windlass::cli
