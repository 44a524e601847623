// The small supervisor program, which is embedded in this one.
#pragma once

#include <string_view>

namespace windlass::plane {

std::string_view supervisor_program();

}  // namespace windlass::plane
