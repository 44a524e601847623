// The filter of system calls that every container has unless it is asked to have none: what usual
// runtimes deny is denied here. A program of the kernel's (classic BPF), made once for the usual
// capabilities; what a capability is for is allowed to who has it.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/result.h"

namespace windlass::supervisor {

using SyscallFilter = std::vector<sock_filter>;

// For a container that keeps these capabilities. Pure.
SyscallFilter make_syscall_filter(const std::vector<int>& capabilities);

// For the calling process and all that come of it, for good. It must have given up gaining
// privileges (no_new_privs).
Result<void> install_syscall_filter(const SyscallFilter& filter);

}  // namespace windlass::supervisor
