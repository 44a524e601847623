// The supervisor's unix socket, by its directory: reached through a descriptor of the directory, so
// that the length of the path does not matter. Both ends must belong to the same user (or root).
#pragma once

#include <string>

#include "base/result.h"
#include "posix/files/file_descriptor.h"

namespace windlass::supervisor {

inline constexpr const char* kSocketName = "supervisor.sock";

// Replaces a socket that an earlier process left. Non-blocking.
Result<posix::FileDescriptor> listen_in(const std::string& directory, const char* name);
// Invalid when no process accepts; blocks only for as long as connecting locally takes.
Result<posix::FileDescriptor> connect_in(const std::string& directory, const char* name);
bool same_user(int socket);

}  // namespace windlass::supervisor
