#include "supervisor/child/syscall_filter.h"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "posix/error.h"

namespace windlass::supervisor {
namespace {

// What the kernel is to do with a call, or what part of its arguments decides.
enum class CallAnswer : uint8_t { allow, deny, absent, clone, personality, socket };

constexpr int kNever = -1;

// A call that needs one of some capabilities; kNever: there is none that allows it.
struct GuardedCall {
  const char* name;
  std::array<int, 2> capabilities;
};

constexpr std::array<int, 2> kForNone = {kNever, kNever};
constexpr std::array<int, 2> kForAdmin = {CAP_SYS_ADMIN, kNever};

constexpr std::array kGuarded = {
    // Keys and rings of the kernel that know no namespaces, or have let containers out before.
    GuardedCall{"add_key", kForNone},
    GuardedCall{"keyctl", kForNone},
    GuardedCall{"request_key", kForNone},
    GuardedCall{"io_uring_setup", kForNone},
    GuardedCall{"io_uring_enter", kForNone},
    GuardedCall{"io_uring_register", kForNone},
    GuardedCall{"userfaultfd", kForNone},
    // The machine as a whole.
    GuardedCall{"kexec_load", kForNone},
    GuardedCall{"kexec_file_load", kForNone},
    GuardedCall{"swapon", kForNone},
    GuardedCall{"swapoff", kForNone},
    GuardedCall{"pivot_root", kForNone},
    GuardedCall{"move_pages", kForNone},
    GuardedCall{"reboot", {CAP_SYS_BOOT, kNever}},
    GuardedCall{"init_module", {CAP_SYS_MODULE, kNever}},
    GuardedCall{"finit_module", {CAP_SYS_MODULE, kNever}},
    GuardedCall{"delete_module", {CAP_SYS_MODULE, kNever}},
    GuardedCall{"acct", {CAP_SYS_PACCT, kNever}},
    GuardedCall{"iopl", {CAP_SYS_RAWIO, kNever}},
    GuardedCall{"ioperm", {CAP_SYS_RAWIO, kNever}},
    GuardedCall{"settimeofday", {CAP_SYS_TIME, kNever}},
    GuardedCall{"stime", {CAP_SYS_TIME, kNever}},
    GuardedCall{"clock_settime", {CAP_SYS_TIME, kNever}},
    GuardedCall{"clock_settime64", {CAP_SYS_TIME, kNever}},
    GuardedCall{"vhangup", {CAP_SYS_TTY_CONFIG, kNever}},
    GuardedCall{"syslog", {CAP_SYSLOG, CAP_SYS_ADMIN}},
    GuardedCall{"quotactl", kForAdmin},
    GuardedCall{"quotactl_fd", kForAdmin},
    GuardedCall{"sethostname", kForAdmin},
    GuardedCall{"setdomainname", kForAdmin},
    // Mounts and namespaces.
    GuardedCall{"mount", kForAdmin},
    GuardedCall{"umount", kForAdmin},
    GuardedCall{"umount2", kForAdmin},
    GuardedCall{"fsopen", kForAdmin},
    GuardedCall{"fsconfig", kForAdmin},
    GuardedCall{"fsmount", kForAdmin},
    GuardedCall{"fspick", kForAdmin},
    GuardedCall{"move_mount", kForAdmin},
    GuardedCall{"open_tree", kForAdmin},
    GuardedCall{"mount_setattr", kForAdmin},
    GuardedCall{"setns", kForAdmin},
    GuardedCall{"unshare", kForAdmin},
    GuardedCall{"chroot", {CAP_SYS_CHROOT, kNever}},
    GuardedCall{"open_by_handle_at", {CAP_DAC_READ_SEARCH, kNever}},
    // Other processes, and what the kernel does for all of them.
    GuardedCall{"kcmp", {CAP_SYS_PTRACE, kNever}},
    GuardedCall{"pidfd_getfd", {CAP_SYS_PTRACE, kNever}},
    GuardedCall{"process_madvise", {CAP_SYS_PTRACE, CAP_SYS_NICE}},
    GuardedCall{"bpf", {CAP_BPF, CAP_SYS_ADMIN}},
    GuardedCall{"perf_event_open", {CAP_PERFMON, CAP_SYS_ADMIN}},
    GuardedCall{"fanotify_init", kForAdmin},
    GuardedCall{"lookup_dcookie", kForAdmin},
    GuardedCall{"get_mempolicy", {CAP_SYS_NICE, kNever}},
    GuardedCall{"set_mempolicy", {CAP_SYS_NICE, kNever}},
    GuardedCall{"set_mempolicy_home_node", {CAP_SYS_NICE, kNever}},
    GuardedCall{"mbind", {CAP_SYS_NICE, kNever}},
    // Relics that new programs do not call.
    GuardedCall{"_sysctl", kForNone},
    GuardedCall{"create_module", kForNone},
    GuardedCall{"get_kernel_syms", kForNone},
    GuardedCall{"query_module", kForNone},
    GuardedCall{"nfsservctl", kForNone},
    GuardedCall{"sysfs", kForNone},
    GuardedCall{"uselib", kForNone},
    GuardedCall{"ustat", kForNone},
    GuardedCall{"vm86", kForNone},
    GuardedCall{"vm86old", kForNone},
};
// Newer than the library that knows the names; since 424, numbers are the same everywhere.
constexpr uint32_t kOpenTreeAttr = 467;
// What came later is not known to be harmless: programs find that the kernel does not have it.
constexpr uint32_t kLastKnown = 469;

constexpr uint32_t kNamespaceFlags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                     CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
// Linux, 32 bits, the names of old kernels, both, and the question which one it is.
constexpr std::array<uint32_t, 5> kPersonalities = {0, 8, 0x20000, 0x20008, 0xffffffff};

constexpr auto kNumberAt = static_cast<uint32_t>(offsetof(seccomp_data, nr));
constexpr auto kArchitectureAt = static_cast<uint32_t>(offsetof(seccomp_data, arch));
// The lower half, on the machines that there are.
constexpr auto kArgumentAt = static_cast<uint32_t>(offsetof(seccomp_data, args));

struct Architecture {
  uint32_t audit;   // as the kernel names it
  uint32_t lookup;  // as the library names it
};
#if defined(__x86_64__)
constexpr std::array kArchitectures = {Architecture{AUDIT_ARCH_X86_64, SCMP_ARCH_X86_64},
                                       Architecture{AUDIT_ARCH_I386, SCMP_ARCH_X86}};
#elif defined(__aarch64__)
constexpr std::array kArchitectures = {Architecture{AUDIT_ARCH_AARCH64, SCMP_ARCH_AARCH64},
                                       Architecture{AUDIT_ARCH_ARM, SCMP_ARCH_ARM}};
#else
#error "the numbers of this architecture's system calls are not known here"
#endif

sock_filter statement(uint32_t code, uint32_t value) {
  return {static_cast<__u16>(code), 0, 0, value};
}
sock_filter jump(uint32_t code, uint32_t value, size_t if_so, size_t if_not) {
  return {static_cast<__u16>(BPF_JMP | code), static_cast<__u8>(if_so), static_cast<__u8>(if_not),
          value};
}
sock_filter load(uint32_t at) {
  return statement(BPF_LD | BPF_W | BPF_ABS, at);
}
sock_filter answer(uint32_t value) {
  return statement(BPF_RET | BPF_K, value);
}
constexpr uint32_t refusal(int error) {
  return SECCOMP_RET_ERRNO | (static_cast<uint32_t>(error) & SECCOMP_RET_DATA);
}

SyscallFilter leaf(CallAnswer verdict) {
  switch (verdict) {
    case CallAnswer::allow:
      return {answer(SECCOMP_RET_ALLOW)};
    case CallAnswer::deny:
      return {answer(refusal(EPERM))};
    case CallAnswer::absent:
      return {answer(refusal(ENOSYS))};
    case CallAnswer::clone:
      return {load(kArgumentAt), jump(BPF_JSET | BPF_K, kNamespaceFlags, 0, 1),
              answer(refusal(EPERM)), answer(SECCOMP_RET_ALLOW)};
    case CallAnswer::socket:  // AF_VSOCK leads to the machine's host, whatever the network
      return {load(kArgumentAt), jump(BPF_JEQ | BPF_K, AF_VSOCK, 0, 1), answer(refusal(EPERM)),
              answer(SECCOMP_RET_ALLOW)};
    case CallAnswer::personality:
      break;
  }
  SyscallFilter check = {load(kArgumentAt)};
  for (size_t i = 0; i < kPersonalities.size(); ++i) {
    check.push_back(jump(BPF_JEQ | BPF_K, kPersonalities.at(i), kPersonalities.size() - i, 0));
  }
  check.push_back(answer(refusal(EPERM)));
  check.push_back(answer(SECCOMP_RET_ALLOW));
  return check;
}

// Calls from `first` on, up to the next one's first.
struct Stretch {
  uint32_t first;
  CallAnswer verdict;
};

// A search by halves: the kernel runs it for every call that it cannot answer beforehand.
SyscallFilter search(const Stretch* begin, const Stretch* end) {
  if (end - begin == 1) {
    return leaf(begin->verdict);
  }
  const Stretch* middle = begin + (end - begin) / 2;
  const SyscallFilter lower = search(begin, middle);
  const SyscallFilter upper = search(middle, end);
  SyscallFilter both = {jump(BPF_JGE | BPF_K, middle->first, 0, 1),
                        statement(BPF_JMP | BPF_JA, static_cast<uint32_t>(lower.size()))};
  both.insert(both.end(), lower.begin(), lower.end());
  both.insert(both.end(), upper.begin(), upper.end());
  return both;
}

bool may(const std::set<int>& capabilities, const GuardedCall& call) {
  return std::any_of(call.capabilities.begin(), call.capabilities.end(),
                     [&](int capability) { return capabilities.contains(capability); });
}

std::vector<Stretch> stretches(const Architecture& architecture,
                               const std::set<int>& capabilities) {
  std::map<uint32_t, CallAnswer> special;
  const auto set = [&](const char* name, CallAnswer verdict) {
    const int number = ::seccomp_syscall_resolve_name_arch(architecture.lookup, name);
    if (number >= 0) {  // below: this architecture has none of this name
      special[static_cast<uint32_t>(number)] = verdict;
    }
  };
  for (const GuardedCall& call : kGuarded) {
    if (!may(capabilities, call)) {
      set(call.name, CallAnswer::deny);
    }
  }
  if (!capabilities.contains(CAP_SYS_ADMIN)) {
    set("clone", CallAnswer::clone);
    // Its flags are in memory, where no filter looks: programs then use clone.
    set("clone3", CallAnswer::absent);
    special[kOpenTreeAttr] = CallAnswer::deny;
  }
  set("personality", CallAnswer::personality);
  set("socket", CallAnswer::socket);
  std::vector<Stretch> all = {{0, CallAnswer::allow}};
  const auto add = [&all](uint32_t first, CallAnswer verdict) {
    if (all.back().first == first) {
      all.pop_back();
    }
    if (all.empty() || all.back().verdict != verdict) {
      all.push_back({first, verdict});
    }
  };
  for (const auto& [number, verdict] : special) {
    add(number, verdict);
    add(number + 1, CallAnswer::allow);
  }
  add(kLastKnown + 1, CallAnswer::absent);
  return all;
}

}  // namespace

SyscallFilter make_syscall_filter(const std::vector<int>& capabilities) {
  const std::set<int> kept(capabilities.begin(), capabilities.end());
  SyscallFilter filter = {load(kArchitectureAt)};
  for (const Architecture& architecture : kArchitectures) {
    const std::vector<Stretch> calls = stretches(architecture, kept);
    SyscallFilter part = {load(kNumberAt)};
    const SyscallFilter tree = search(calls.data(), calls.data() + calls.size());
    part.insert(part.end(), tree.begin(), tree.end());
    filter.push_back(jump(BPF_JEQ | BPF_K, architecture.audit, 1, 0));
    filter.push_back(statement(BPF_JMP | BPF_JA, static_cast<uint32_t>(part.size())));
    filter.insert(filter.end(), part.begin(), part.end());
  }
  filter.push_back(answer(refusal(ENOSYS)));
  return filter;
}

Result<void> install_syscall_filter(const SyscallFilter& filter) {
  sock_fprog program = {static_cast<unsigned short>(filter.size()),
                        const_cast<sock_filter*>(filter.data())};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
    return fail(posix::system_error("seccomp", "filter of system calls", errno));
  }
  return {};
}

}  // namespace windlass::supervisor
