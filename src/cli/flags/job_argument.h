// The argument and the flag that name one Job: `job/NAME` and -n.
#pragma once

#include <string>

#include "cli/flags/flags.h"

namespace windlass::cli {

// `job` becomes the name. `verb` is the command's: `Job to explain`.
void declare_job_argument(Flags& flags, std::string& job, std::string& ns, const std::string& verb);

}  // namespace windlass::cli
