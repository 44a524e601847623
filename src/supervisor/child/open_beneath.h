// Paths below a directory that others write to: a link that leads out of it is refused by
// the kernel, also one that is made meanwhile. Thin over openat2; errors are in errno.
#pragma once

#include <string>

#include "posix/files/file_descriptor.h"

namespace windlass::supervisor {

// What is at `below` in the directory `top`, as O_PATH. EXDEV: it leads out.
posix::FileDescriptor open_beneath(int top, const std::string& below);
// The same, where `top` is all there is: a link to /x leads to x in it.
posix::FileDescriptor open_in_root(int top, const std::string& below);

}  // namespace windlass::supervisor
