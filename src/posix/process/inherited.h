// What a process gets from its parent. Asked for at the start, on the main thread.
#pragma once

#include <cstddef>
#include <string>

namespace windlass::posix {

// "" when it is not set.
std::string environment_variable(const char* name);

// Of this machine, or of the pod; "localhost" when it has none.
std::string host_name();

// As many descriptors as the system allows this process: a server has one per client. Answers how
// many that is.
size_t raise_descriptor_limit();

}  // namespace windlass::posix
