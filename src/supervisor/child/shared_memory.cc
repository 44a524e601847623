#include "supervisor/child/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "posix/error.h"
#include "supervisor/child/clone.h"
#include "supervisor/child/detached_mount.h"
#include "supervisor/server/container.h"

namespace windlass::supervisor {
namespace {

using Descriptors = std::vector<posix::FileDescriptor>;

constexpr size_t kMaxSent = 3;
constexpr size_t kMaxProblemBytes = 1024;
constexpr char kDone = '+';
constexpr char kFailed = '-';  // an error's text follows
// Exists on every Linux system: where the memory is put before it becomes the root.
constexpr const char* kMemoryPlace = "/proc";

// A message with descriptors, as the kernel wants both ends to lay it out.
struct Parcel {
  explicit Parcel(size_t count) {
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(count * sizeof(int));
  }

  std::array<char, kMaxProblemBytes> text = {};
  iovec bytes = {text.data(), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxSent * sizeof(int))> control = {};
  msghdr header = {};
};

bool send_descriptors(int socket, const Descriptors& descriptors) {
  Parcel parcel(descriptors.size());
  parcel.text[0] = kDone;
  parcel.bytes.iov_len = 1;
  cmsghdr* item = CMSG_FIRSTHDR(&parcel.header);
  item->cmsg_level = SOL_SOCKET;
  item->cmsg_type = SCM_RIGHTS;
  item->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
  for (size_t i = 0; i < descriptors.size(); ++i) {
    const int number = descriptors[i].get();
    std::memcpy(CMSG_DATA(item) + i * sizeof(int), &number, sizeof number);
  }
  return ::sendmsg(socket, &parcel.header, MSG_NOSIGNAL) == 1;
}

Result<Descriptors> receive_descriptors(int socket) {
  Parcel parcel(kMaxSent);
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &parcel.header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 1) {
    return fail(plain_error("mount tmpfs: the helper ended"));
  }
  if (parcel.text[0] != kDone) {
    return fail(child_error({parcel.text.data() + 1, static_cast<size_t>(got) - 1}));
  }
  Descriptors received;
  const cmsghdr* item = CMSG_FIRSTHDR(&parcel.header);
  const size_t end = item != nullptr && item->cmsg_type == SCM_RIGHTS ? item->cmsg_len : 0;
  for (size_t at = CMSG_LEN(0); at + sizeof(int) <= end; at += sizeof(int)) {
    int number = -1;
    std::memcpy(&number, reinterpret_cast<const char*>(item) + at, sizeof number);
    received.emplace_back(number);
  }
  return received;
}

// Runs `work` in a child with these new namespaces, and gives back what it has opened.
Result<Descriptors> in_child(uint64_t namespaces,
                             const std::function<Result<Descriptors>()>& work) {
  std::array<int, 2> ends = {};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(posix::system_error("socketpair", "helper", errno));
  }
  const posix::FileDescriptor ours(ends[0]);
  posix::FileDescriptor theirs(ends[1]);
  const Cloned child = clone_process({namespaces, -1});
  if (child.pid < 0) {
    return fail(posix::system_error("clone", "helper", errno));
  }
  if (child.pid == 0) {
    const Result<Descriptors> opened = work();
    if (!opened) {
      const std::string why =
          kFailed + child_error_text(opened.error()).substr(0, kMaxProblemBytes - 1);
      [[maybe_unused]] const ssize_t sent =
          ::send(theirs.get(), why.data(), why.size(), MSG_NOSIGNAL);
    }
    ::_exit(opened && send_descriptors(theirs.get(), *opened) ? 0 : kChildFailedCode);
  }
  theirs.reset();  // or its end would not be seen
  Result<Descriptors> received = receive_descriptors(ours.get());
  wait_for_end(child.pidfd.get(), WEXITED);
  return received;
}

Result<posix::FileDescriptor> open_read_only(const char* path, int flags) {
  posix::FileDescriptor file(::open(path, flags | O_CLOEXEC));
  if (!file.valid()) {
    return fail(posix::system_error("open", path, errno));
  }
  return file;
}

DetachedMount::Options options_of(const env::ContainerMount& mount, bool user_namespace) {
  // A user namespace has one group, which need not be this one.
  const std::optional<uint32_t> group = user_namespace ? std::nullopt : mount.group;
  // Sticky, as the kernel makes one by itself and a kubelet leaves it.
  DetachedMount::Options options = {{"mode", group ? "3777" : "1777"}};
  if (group) {
    options.emplace_back("gid", fmt::format("{}", *group));
  }
  if (mount.size_bytes != 0) {
    options.emplace_back("size", fmt::format("{}", mount.size_bytes));
  }
  return options;
}

// In new namespaces: leaves nothing in them but the memory, which is their root.
Result<Descriptors> make_memory(const ChildSetting& setting, const env::ContainerMount& mount) {
  if (setting.user_namespace) {
    TRY_VOID(map_ids(setting, std::nullopt, std::nullopt));
  }
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return fail(posix::system_error("mount", "/", errno));
  }
  TRY(posix::FileDescriptor mounts, open_read_only("/proc/self/ns/mnt", O_RDONLY));
  TRY(posix::FileDescriptor users, open_read_only("/proc/self/ns/user", O_RDONLY));
  TRY(const DetachedMount memory,
      DetachedMount::make("tmpfs", options_of(mount, setting.user_namespace)));
  TRY_VOID(memory.attach(kMemoryPlace));
  TRY_VOID(enter_root(kMemoryPlace));
  TRY(posix::FileDescriptor top, open_read_only("/", O_PATH | O_DIRECTORY));
  Descriptors opened;
  opened.push_back(std::move(mounts));
  opened.push_back(std::move(users));
  opened.push_back(std::move(top));
  return opened;
}

Result<void> enter_namespace(const posix::FileDescriptor& place, int kind) {
  if (::setns(place.get(), kind) != 0) {
    return fail(posix::system_error("setns", "the namespace of a volume", errno));
  }
  return {};
}

// Attached nowhere, of the memory that is the root of these namespaces.
Result<Descriptors> copy_mount(const posix::FileDescriptor& users,
                               const posix::FileDescriptor& mounts, const std::string& sub_path) {
  if (users.valid()) {
    TRY_VOID(enter_namespace(users, CLONE_NEWUSER));
  }
  TRY_VOID(enter_namespace(mounts, CLONE_NEWNS));
  TRY(const DetachedMount copy,
      sub_path.empty() ? DetachedMount::clone_of("/") : DetachedMount::clone_below("/", sub_path));
  TRY(posix::FileDescriptor tree, copy.top());
  Descriptors opened;
  opened.push_back(std::move(tree));
  return opened;
}

}  // namespace

Result<SharedMemory::Memory> SharedMemory::make(const env::ContainerMount& mount) const {
  if (memories_.size() >= limit_) {
    return fail(plain_error("too many volumes in memory"));
  }
  constexpr uint64_t kMounts = CLONE_NEWNS;
  TRY(Descriptors made, in_child(setting_.user_namespace ? kMounts | CLONE_NEWUSER : kMounts,
                                 [&] { return make_memory(setting_, mount); }));
  if (made.size() != kMaxSent) {
    return fail(plain_error("mount tmpfs: too many open files"));
  }
  Memory memory;
  memory.mounts = std::move(made[0]);
  if (setting_.user_namespace) {
    memory.users = std::move(made[1]);
  }
  memory.top = std::move(made[2]);
  return memory;
}

Result<posix::FileDescriptor> SharedMemory::mount_of(const Memory& memory,
                                                     const std::string& sub_path) {
  TRY(Descriptors opened,
      in_child(0, [&] { return copy_mount(memory.users, memory.mounts, sub_path); }));
  if (opened.size() != 1) {
    return fail(plain_error("mount tmpfs: too many open files"));
  }
  return std::move(opened.front());
}

Result<Descriptors> SharedMemory::open(const std::string& run,
                                       const std::vector<env::ContainerMount>& mounts) {
  Descriptors opened;
  for (const env::ContainerMount& mount : mounts) {
    if (mount.kind != env::ContainerMount::Kind::tmpfs) {
      continue;
    }
    auto found = memories_.find(mount.source);
    if (found == memories_.end()) {
      TRY(Memory memory, make(mount));
      found = memories_.emplace(mount.source, std::move(memory)).first;
    }
    found->second.runs.insert(run);
    TRY(posix::FileDescriptor tree, mount_of(found->second, mount.sub_path));
    opened.push_back(std::move(tree));
  }
  return opened;
}

void SharedMemory::release(const std::string& run) {
  for (auto each = memories_.begin(); each != memories_.end();) {
    each->second.runs.erase(run);
    each = each->second.runs.empty() ? memories_.erase(each) : std::next(each);
  }
}

void SharedMemory::add_to(std::vector<env::ContainerUse>& containers) const {
  for (const auto& [name, memory] : memories_) {
    const auto holder = std::find_if(
        containers.begin(), containers.end(),
        [&memory = memory](const auto& each) { return memory.runs.contains(each.id); });
    struct statfs system = {};
    if (holder != containers.end() && ::fstatfs(memory.top.get(), &system) == 0) {
      holder->memory_bytes +=
          (system.f_blocks - system.f_bfree) * static_cast<uint64_t>(system.f_bsize);
    }
  }
}

}  // namespace windlass::supervisor
