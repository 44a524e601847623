#pragma once

#include <string>

#include "cli/command_line.h"

namespace windlass::cli {

// `windlass version`.
std::string version_text(OutputFormat format);

}  // namespace windlass::cli
