// The supervisor's own small program, which is built into this one.
#pragma once

#include <string_view>

namespace windlass::cli {

std::string_view supervisor_program();

}  // namespace windlass::cli
