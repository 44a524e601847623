#include "supervisor/child/detached_mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "env/containers.h"
#include "posix/error.h"

namespace windlass::supervisor {

namespace {

posix::FileDescriptor open_path(int top, const std::string& below, uint64_t resolve) {
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  return posix::FileDescriptor(
      static_cast<int>(::syscall(SYS_openat2, top, below.c_str(), &how, sizeof how)));
}

}  // namespace

posix::FileDescriptor open_beneath(int top, const std::string& below) {
  return open_path(top, below, RESOLVE_BENEATH);
}

posix::FileDescriptor open_in_root(int top, const std::string& below) {
  return open_path(top, below, RESOLVE_IN_ROOT);
}

namespace {

// Containers of any user may write there.
constexpr mode_t kMadeMode = 0777;

// What is made in a volume has its group and its sticky bit, as a kubelet has it.
mode_t mode_below(int top) {
  struct stat info = {};
  return ::fstat(top, &info) == 0 ? kMadeMode | (info.st_mode & (S_ISGID | S_ISVTX)) : kMadeMode;
}

Result<void> make_below(int top, const std::string& path, const std::string& below) {
  const mode_t mode = mode_below(top);
  for (size_t end = 0; end < below.size();) {
    end = std::min(below.find('/', end + 1), below.size());
    const std::string part = below.substr(0, end);
    if (open_beneath(top, part).valid()) {
      continue;
    }
    const size_t slash = part.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : part.substr(0, slash);
    const std::string name = slash == std::string::npos ? part : part.substr(slash + 1);
    const posix::FileDescriptor in = open_beneath(top, parent);
    if (!in.valid() || (::mkdirat(in.get(), name.c_str(), kMadeMode) != 0 && errno != EEXIST)) {
      return fail(posix::system_error("mkdir", path + "/" + part, errno));
    }
    // Whatever the umask is.
    const posix::FileDescriptor made(
        ::openat(in.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (made.valid()) {
      ::fchmod(made.get(), mode);
    }
  }
  return {};
}

}  // namespace

Result<DetachedMount> DetachedMount::clone_of(const std::string& path) {
  posix::FileDescriptor tree(::open_tree(
      AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | unsigned{AT_RECURSIVE}));
  if (!tree.valid()) {
    return fail(posix::system_error("mount", path, errno));
  }
  return DetachedMount(std::move(tree));
}

Result<posix::FileDescriptor> open_or_make_below(const std::string& path,
                                                 const std::string& below) {
  const posix::FileDescriptor top(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top.valid()) {
    return fail(posix::system_error("open", path, errno));
  }
  posix::FileDescriptor found = open_beneath(top.get(), below);
  if (!found.valid() && errno == ENOENT) {
    TRY_VOID(make_below(top.get(), path, below));
    found = open_beneath(top.get(), below);
  }
  if (!found.valid()) {
    return fail(errno == EXDEV ? env::not_created(fmt::format("{} leads out of {}", below, path),
                                                  "CreateContainerConfigError")
                               : posix::system_error("open", path + "/" + below, errno));
  }
  return found;
}

Result<DetachedMount> DetachedMount::clone_below(const std::string& path,
                                                 const std::string& below) {
  TRY(const posix::FileDescriptor found, open_or_make_below(path, below));
  return clone_at(found, path + "/" + below);
}

Result<DetachedMount> DetachedMount::clone_at(const posix::FileDescriptor& found,
                                              const std::string& path) {
  posix::FileDescriptor tree(::open_tree(
      found.get(), "",
      OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | unsigned{AT_RECURSIVE} | unsigned{AT_EMPTY_PATH}));
  if (!tree.valid()) {
    return fail(posix::system_error("mount", path, errno));
  }
  return DetachedMount(std::move(tree));
}

Result<DetachedMount> DetachedMount::make(const std::string& type, const Options& options) {
  const posix::FileDescriptor context(::fsopen(type.c_str(), FSOPEN_CLOEXEC));
  bool ok = context.valid();
  for (const auto& [key, value] : options) {
    ok = ok &&
         (value.empty()
              ? ::fsconfig(context.get(), FSCONFIG_SET_FLAG, key.c_str(), nullptr, 0)
              : ::fsconfig(context.get(), FSCONFIG_SET_STRING, key.c_str(), value.c_str(), 0)) == 0;
  }
  ok = ok && ::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0;
  posix::FileDescriptor tree;
  if (ok) {
    tree = posix::FileDescriptor(
        ::fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  }
  if (!tree.valid()) {
    return fail(posix::system_error("mount", type, errno));
  }
  return DetachedMount(std::move(tree));
}

namespace {

Result<void> change(const posix::FileDescriptor& tree, mount_attr& attributes) {
  if (::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                      sizeof attributes) != 0) {
    return fail(posix::system_error("mount", "with its attributes", errno));
  }
  return {};
}

}  // namespace

Result<void> DetachedMount::set_attributes(uint64_t set) {
  mount_attr attributes = {};
  attributes.attr_set = set;
  return change(tree_, attributes);
}

Result<void> DetachedMount::clear_attributes(uint64_t clear) {
  mount_attr attributes = {};
  attributes.attr_clr = clear;
  return change(tree_, attributes);
}

bool DetachedMount::is_directory() const {
  struct stat info = {};
  return ::fstat(tree_.get(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<posix::FileDescriptor> DetachedMount::top() const {
  posix::FileDescriptor copy(::fcntl(tree_.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy.valid()) {
    return fail(posix::system_error("open", "a mount", errno));
  }
  return copy;
}

Result<void> DetachedMount::attach(const std::string& target) const {
  if (::move_mount(tree_.get(), "", AT_FDCWD, target.c_str(),
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS) != 0) {
    return fail(posix::system_error("mount at", target, errno));
  }
  return {};
}

Result<void> enter_root(const std::string& path) {
  // pivot_root(".", ".") stacks the old root under the new one, where it is unmounted: no
  // directory for it is needed in the container's root.
  if (::chdir(path.c_str()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0 ||
      ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) {
    return fail(posix::system_error("pivot_root", path, errno));
  }
  return {};
}

}  // namespace windlass::supervisor
