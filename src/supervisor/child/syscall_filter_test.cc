// The filter of system calls, asked as the kernel would ask it.
#include "supervisor/child/syscall_filter.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstring>

namespace windlass::supervisor {
namespace {

constexpr uint32_t kAllowed = SECCOMP_RET_ALLOW;
constexpr uint32_t kDenied = SECCOMP_RET_ERRNO | EPERM;
constexpr uint32_t kMissing = SECCOMP_RET_ERRNO | ENOSYS;

// As the kernel interprets it; only what such filters are made of.
uint32_t ask(const SyscallFilter& filter, const seccomp_data& data) {
  uint32_t value = 0;
  for (size_t at = 0; at < filter.size(); ++at) {
    const sock_filter& step = filter[at];
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&value, reinterpret_cast<const char*>(&data) + step.k, sizeof value);
        break;
      case BPF_JMP | BPF_JA:
        at += step.k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        at += value == step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        at += value >= step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        at += (value & step.k) != 0 ? step.jt : step.jf;
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        ADD_FAILURE() << "unknown instruction " << step.code;
        return 0;
    }
  }
  ADD_FAILURE() << "no answer";
  return 0;
}

#if defined(__x86_64__)
constexpr uint32_t kOwn = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t kOwn = AUDIT_ARCH_AARCH64;
#endif

uint32_t ask(const SyscallFilter& filter, long number, uint64_t argument = 0,
             uint32_t architecture = kOwn) {
  seccomp_data data = {};
  data.nr = static_cast<int>(number);
  data.arch = architecture;
  data.args[0] = argument;
  return ask(filter, data);
}

const SyscallFilter& usual() {
  static const SyscallFilter filter = make_syscall_filter({CAP_CHOWN, CAP_SYS_CHROOT});
  return filter;
}

TEST(SyscallFilter, WhatProgramsCallIsAllowed) {
  for (const long number :
       {SYS_read, SYS_openat, SYS_execve, SYS_exit_group, SYS_futex, SYS_ptrace, SYS_chroot,
        SYS_mknodat, SYS_wait4, SYS_prlimit64, SYS_getrandom, SYS_openat2, SYS_close_range,
        SYS_epoll_pwait2, SYS_landlock_create_ruleset}) {
    EXPECT_EQ(ask(usual(), number), kAllowed) << number;
  }
}

TEST(SyscallFilter, WhatLeadsOutOfAContainerIsDenied) {
  for (const long number : {SYS_mount,
                            SYS_umount2,
                            SYS_move_mount,
                            SYS_fsopen,
                            SYS_fsmount,
                            SYS_fsconfig,
                            SYS_open_tree,
                            SYS_mount_setattr,
                            SYS_pivot_root,
                            SYS_setns,
                            SYS_unshare,
                            SYS_keyctl,
                            SYS_add_key,
                            SYS_request_key,
                            SYS_bpf,
                            SYS_perf_event_open,
                            SYS_io_uring_setup,
                            SYS_io_uring_enter,
                            SYS_io_uring_register,
                            SYS_userfaultfd,
                            SYS_kexec_load,
                            SYS_init_module,
                            SYS_finit_module,
                            SYS_reboot,
                            SYS_swapon,
                            SYS_settimeofday,
                            SYS_clock_settime,
                            SYS_open_by_handle_at,
                            SYS_sethostname,
                            SYS_syslog,
                            SYS_quotactl,
                            SYS_acct,
                            SYS_kcmp}) {
    EXPECT_EQ(ask(usual(), number), kDenied) << number;
  }
}

TEST(SyscallFilter, WhatLaterKernelsAddIsMissing) {
  for (const long number : {470L, 600L, 0x40000000L, -1L}) {
    EXPECT_EQ(ask(usual(), number), kMissing) << number;
  }
  EXPECT_EQ(ask(usual(), SYS_read, 0, 0x1234), kMissing) << "no such architecture";
}

TEST(SyscallFilter, ArgumentsDecideAboutSome) {
  EXPECT_EQ(ask(usual(), SYS_clone, uint64_t{SIGCHLD} | CLONE_VM | CLONE_THREAD), kAllowed);
  for (const int flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
                         CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    EXPECT_EQ(ask(usual(), SYS_clone, static_cast<uint64_t>(flag | SIGCHLD)), kDenied) << flag;
  }
  EXPECT_EQ(ask(usual(), SYS_clone3), kMissing);
  for (const uint64_t personality : {0ULL, 8ULL, 0x20000ULL, 0x20008ULL, 0xffffffffULL}) {
    EXPECT_EQ(ask(usual(), SYS_personality, personality), kAllowed) << personality;
  }
  EXPECT_EQ(ask(usual(), SYS_personality, 0x0040000), kDenied);  // without random addresses
  EXPECT_EQ(ask(usual(), SYS_socket, 2), kAllowed);
  EXPECT_EQ(ask(usual(), SYS_socket, 40), kDenied);
}

TEST(SyscallFilter, CapabilitiesAllowWhatTheyAreFor) {
  const SyscallFilter admin = make_syscall_filter({CAP_SYS_ADMIN});
  for (const long number : {SYS_mount, SYS_setns, SYS_unshare, SYS_bpf, SYS_clone3}) {
    EXPECT_EQ(ask(admin, number), kAllowed) << number;
  }
  EXPECT_EQ(ask(admin, SYS_clone, CLONE_NEWUSER), kAllowed);
  EXPECT_EQ(ask(admin, SYS_keyctl), kDenied);
  EXPECT_EQ(ask(admin, SYS_chroot), kDenied);
  EXPECT_EQ(ask(make_syscall_filter({CAP_SYS_TIME}), SYS_clock_settime), kAllowed);
  EXPECT_EQ(ask(make_syscall_filter({CAP_SYS_MODULE}), SYS_init_module), kAllowed);
}

#if defined(__x86_64__)
// int 0x80 is no way around it.
TEST(SyscallFilter, ProgramsOf32BitsAreFilteredToo) {
  constexpr long kMount = 21;
  constexpr long kClone = 120;
  constexpr long kKeyctl = 288;
  constexpr long kRead = 3;
  EXPECT_EQ(ask(usual(), kRead, 0, AUDIT_ARCH_I386), kAllowed);
  EXPECT_EQ(ask(usual(), kMount, 0, AUDIT_ARCH_I386), kDenied);
  EXPECT_EQ(ask(usual(), kKeyctl, 0, AUDIT_ARCH_I386), kDenied);
  EXPECT_EQ(ask(usual(), kClone, CLONE_NEWUSER, AUDIT_ARCH_I386), kDenied);
}
#endif

TEST(SyscallFilter, IsSmall) {
  EXPECT_LT(usual().size(), 512u);
}

}  // namespace
}  // namespace windlass::supervisor
