#pragma once

#include <string>

#include "cli/command_line.h"

namespace windlass::cli {

// v0.1.0
std::string version_number();

// `windlass version`.
std::string version_text(OutputFormat format);

}  // namespace windlass::cli
