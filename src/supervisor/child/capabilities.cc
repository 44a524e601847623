#include "supervisor/child/capabilities.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/quote.h"

namespace windlass::supervisor {
namespace {

constexpr std::string_view kAll = "ALL";
// What a container that runs as root keeps, as with the usual runtimes, without making devices, and
// without the packets of a network that is the machine's.
constexpr std::array kKept = {CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FSETID,      CAP_FOWNER,
                              CAP_SETGID, CAP_SETUID,       CAP_SETFCAP,     CAP_SETPCAP,
                              CAP_KILL,   CAP_SYS_CHROOT,   CAP_AUDIT_WRITE, CAP_NET_BIND_SERVICE};
// By number.
constexpr std::array<std::string_view, 41> kNames = {"CHOWN",
                                                     "DAC_OVERRIDE",
                                                     "DAC_READ_SEARCH",
                                                     "FOWNER",
                                                     "FSETID",
                                                     "KILL",
                                                     "SETGID",
                                                     "SETUID",
                                                     "SETPCAP",
                                                     "LINUX_IMMUTABLE",
                                                     "NET_BIND_SERVICE",
                                                     "NET_BROADCAST",
                                                     "NET_ADMIN",
                                                     "NET_RAW",
                                                     "IPC_LOCK",
                                                     "IPC_OWNER",
                                                     "SYS_MODULE",
                                                     "SYS_RAWIO",
                                                     "SYS_CHROOT",
                                                     "SYS_PTRACE",
                                                     "SYS_PACCT",
                                                     "SYS_ADMIN",
                                                     "SYS_BOOT",
                                                     "SYS_NICE",
                                                     "SYS_RESOURCE",
                                                     "SYS_TIME",
                                                     "SYS_TTY_CONFIG",
                                                     "MKNOD",
                                                     "LEASE",
                                                     "AUDIT_WRITE",
                                                     "AUDIT_CONTROL",
                                                     "SETFCAP",
                                                     "MAC_OVERRIDE",
                                                     "MAC_ADMIN",
                                                     "SYSLOG",
                                                     "WAKE_ALARM",
                                                     "BLOCK_SUSPEND",
                                                     "AUDIT_READ",
                                                     "PERFMON",
                                                     "BPF",
                                                     "CHECKPOINT_RESTORE"};
static_assert(kNames.size() == CAP_LAST_CAP + 1);

std::vector<int> existing() {
  std::vector<int> all;
  for (int number = 0; ::prctl(PR_CAPBSET_READ, number) >= 0; ++number) {
    all.push_back(number);
  }
  return all;
}

bool has_all(const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), kAll) != names.end();
}

Result<std::vector<int>> numbers_of(const std::vector<std::string>& names) {
  std::vector<int> numbers;
  for (const std::string& name : names) {
    const std::string_view plain =
        name.starts_with("CAP_") ? std::string_view(name).substr(4) : std::string_view(name);
    const auto found = std::find(kNames.begin(), kNames.end(), plain);
    if (found != kNames.end()) {
      numbers.push_back(static_cast<int>(found - kNames.begin()));
    } else if (plain != kAll) {
      return fail(plain_error(fmt::format("unknown capability {}", quote(name.substr(0, 64)))));
    }
  }
  return numbers;
}

}  // namespace

std::vector<int> capabilities_to_drop() {
  return *capabilities_to_drop({}, {});
}

std::vector<int> kept_capabilities(const std::vector<int>& dropped) {
  std::vector<int> kept = existing();
  std::erase_if(kept, [&dropped](int number) {
    return std::find(dropped.begin(), dropped.end(), number) != dropped.end();
  });
  return kept;
}

// ALL comes first, in whatever place it is: what is named by itself is named on purpose.
Result<std::vector<int>> capabilities_to_drop(const std::vector<std::string>& added,
                                              const std::vector<std::string>& dropped) {
  TRY(const std::vector<int> more, numbers_of(added));
  TRY(const std::vector<int> fewer, numbers_of(dropped));
  const std::vector<int> all = existing();
  std::set<int> kept(kKept.begin(), kKept.end());
  if (has_all(added)) {
    kept = {all.begin(), all.end()};
  }
  if (has_all(dropped)) {
    kept.clear();
  }
  kept.insert(more.begin(), more.end());
  for (const int number : fewer) {
    kept.erase(number);
  }
  std::vector<int> drop;
  std::copy_if(all.begin(), all.end(), std::back_inserter(drop),
               [&kept](int number) { return !kept.contains(number); });
  return drop;
}

}  // namespace windlass::supervisor
