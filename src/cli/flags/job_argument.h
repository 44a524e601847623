// The argument and the flag that name one Job: `job/NAME` and -n.
#pragma once

#include <string>

#include "cli/flags/flags.h"

namespace windlass::cli {

// `job` becomes the name. `verb` is the command's: `Job to explain`. Once `instead` has a text, no
// Job has to be named; it outlives the flags. With `run` the argument may also be `run/12`, all
// Jobs of a run that `windlass run` has kept, or `run/12/NAME`: it gets the `12`.
void declare_job_argument(Flags& flags, std::string& job, std::string& ns, const std::string& verb,
                          const std::string* instead = nullptr, std::string* run = nullptr);

}  // namespace windlass::cli
