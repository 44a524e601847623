// The program's version, as nodes, user agents and `windlass version` report it.
#pragma once

#include <string>

namespace windlass::plane {

// v0.1.0
std::string version_number();

}  // namespace windlass::plane
