// The program's version, as nodes, user agents and `windlass version` report it.
#pragma once

#include <string>

namespace windlass::plane {

// v0.1.0
std::string version_number();

// The commit that it was built from, or "": only releases know it.
std::string version_commit();

// release, g++ 12.2.0
std::string version_build();

}  // namespace windlass::plane
