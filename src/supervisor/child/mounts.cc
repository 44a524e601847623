#include "supervisor/child/mounts.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "posix/error.h"
#include "posix/files/posix_files.h"
#include "supervisor/child/boundary.h"
#include "supervisor/child/detached_mount.h"

namespace windlass::supervisor {
namespace {

constexpr mode_t kDirectoryMode = 0755;
constexpr mode_t kFileMode = 0644;
// Exists on every Linux system, and is covered anyway: where a new root is put together.
constexpr const char* kAssemblyPoint = "/proc";
constexpr mode_t kSharedMode = 01777;
constexpr const char* kCgroups = "/sys/fs/cgroup";
constexpr std::string_view kRun = "/run";
constexpr mode_t kEmptyMode = 0555;
constexpr const char* kEmptyPlace = "/proc/empty";  // at the assembly point
const std::vector<std::string> kNoFiles;
// What an image cannot know of the network, which is the host's.
constexpr std::array kHostFiles = {"/etc/resolv.conf", "/etc/hosts"};
constexpr std::array kDeviceLinks = {
    std::pair("fd", "/proc/self/fd"), std::pair("stdin", "/proc/self/fd/0"),
    std::pair("stdout", "/proc/self/fd/1"), std::pair("stderr", "/proc/self/fd/2"),
    std::pair("ptmx", "pts/ptmx")};

bool exists(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0;
}

size_t depth(std::string_view plain) {
  return plain == "/" ? 0 : static_cast<size_t>(std::count(plain.begin(), plain.end(), '/'));
}

bool is_at(const posix::FileDescriptor& directory, const std::string& path) {
  struct stat there = {};
  struct stat wanted = {};
  return ::stat(path.c_str(), &there) == 0 && ::fstat(directory.get(), &wanted) == 0 &&
         there.st_dev == wanted.st_dev && there.st_ino == wanted.st_ino;
}

Result<void> make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), kDirectoryMode) != 0 && errno != EEXIST) {
    return fail(posix::system_error("mkdir", path, errno));
  }
  return {};
}

// A directory that is the container's own, so that something may be made in it.
struct OwnPlace {
  std::string path;
  posix::FileDescriptor top;
  bool whole_tree = true;  // not where the host's directories are in it
  bool closing = false;    // read-only once everything is in it
};

// The directory `path`, which is in `place`, by no link that leads out of it: those in a volume are
// a container's doing, and this is root.
Result<posix::FileDescriptor> open_in(const OwnPlace& place, const std::string& path) {
  std::string below = path.substr(place.path.size());
  below.erase(0, below.starts_with('/') ? 1 : 0);
  below = below.empty() ? "." : below;
  posix::FileDescriptor found = place.path == "/" ? open_in_root(place.top.get(), below)
                                                  : open_beneath(place.top.get(), below);
  if (!found.valid()) {
    return fail(errno == EXDEV ? plain_error(fmt::format("{} leads out of {}", path, place.path))
                               : posix::system_error("open", path, errno));
  }
  return found;
}

Result<void> make_file(const std::string& path) {
  const posix::FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (!file.valid()) {
    return fail(posix::system_error("create", path, errno));
  }
  return {};
}

Result<DetachedMount> new_tmpfs(std::string_view mode) {
  return DetachedMount::make("tmpfs", {{"mode", std::string(mode)}});
}

// As options of overlayfs want it, which separates paths with colons.
std::string escape_path(const std::string& path) {
  std::string out;
  for (const char c : path) {
    out += c == ':' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return out;
}

// `root` as it is, with everything that is written to it in `layer`, which is made anew.
Result<DetachedMount> layered(const std::string& root, const std::string& layer) {
  posix::PosixFiles files;
  TRY_VOID(files.remove_tree(layer));
  TRY_VOID(files.make_directory(layer));
  TRY_VOID(make_directory(layer + "/upper"));
  TRY_VOID(make_directory(layer + "/work"));
  // Attributes of its own that need no privileges: the same in a user namespace and outside.
  return DetachedMount::make("overlay", {{"lowerdir", escape_path(root)},
                                         {"upperdir", escape_path(layer + "/upper")},
                                         {"workdir", escape_path(layer + "/work")},
                                         {"userxattr", ""}});
}

// Of all that is mounted at and below `path`, or with no flags of what is mounted right there.
Result<void> set_attributes(const std::string& path, uint64_t set, unsigned flags) {
  mount_attr attributes = {};
  attributes.attr_set = set;
  if (::mount_setattr(AT_FDCWD, path.c_str(), flags, &attributes, sizeof attributes) != 0) {
    return fail(posix::system_error("mount read-only", path, errno));
  }
  return {};
}

Result<void> set_read_only(const std::string& path) {
  return set_attributes(path, MOUNT_ATTR_RDONLY, 0);
}

// As a container runtime has it: what is not there yet keeps a container waiting.
Failure cannot_create(Status why) {
  return fail(env::is_not_created(why) ? std::move(why) : env::not_created(std::move(why.message)));
}

class FilesystemView {
 public:
  FilesystemView(const env::ContainerIsolation& isolation, const MachineFiles& machine,
                 const ViewSources& sources)
      : isolation_(isolation), machine_(machine), sources_(sources) {
    if (on_host_root() && bounded()) {
      hidden_ = machine.hidden;
      for (const std::string& path : isolation.boundary.hidden) {
        hidden_.push_back(env::plain_path(path));
      }
    }
    for (const int mount : sources.memory) {
      memory_.push_back(DetachedMount::of(posix::FileDescriptor(mount)));
    }
  }

  Result<void> make() {
    // Nothing that is mounted here may reach the host.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      return fail(posix::system_error("mount", "/", errno));
    }
    if (auto opened = open_everything(); !opened) {
      return cannot_create(std::move(opened).error());
    }
    if (!isolation_.root.empty()) {
      TRY_VOID(enter_own_root());
    } else if (const uint64_t set = root_attributes(); set != 0) {
      TRY_VOID(set_attributes("/", set, AT_RECURSIVE));
    }
    TRY_VOID(attach_own_places());
    // Over the memory that these are parts of.
    TRY_VOID(proc_->attach("/proc"));
    TRY_VOID(set_sysctls(isolation_.confinement.sysctls));
    if (bounded() && !isolation_.boundary.unmasked_proc) {
      TRY_VOID(mask_files(machine_, "/proc", empty_));
    }
    // Before the others: one of them may bring a root of its own, and then nothing of the old one
    // can be mounted any more.
    for (const auto& [directory, target] : stay_) {
      if (!is_at(directory, target)) {
        TRY(const DetachedMount mount, DetachedMount::clone_at(directory, target));
        TRY_VOID(attach(mount, target));
      }
    }
    for (const auto& [mount, target] : mounts_) {
      TRY_VOID(attach(mount, target));
    }
    return close_root();
  }

 private:
  bool read_only() const { return isolation_.confinement.read_only_root; }
  // A privileged container is to have the machine.
  bool bounded() const { return !isolation_.privileged; }
  bool on_host_root() const { return isolation_.root.empty(); }

  // A device of the machine that lies about opens for no container; its own are in its /dev.
  uint64_t root_attributes() const {
    return (read_only() ? MOUNT_ATTR_RDONLY : 0U) | (bounded() ? MOUNT_ATTR_NODEV : 0U);
  }

  // What was open for the places of mounts: its own root, copies of the host's directories, and
  // those that are empty instead of what the host has there.
  Result<void> close_root() {
    if (read_only() && !isolation_.root.empty()) {
      TRY_VOID(set_read_only("/"));
    }
    for (const OwnPlace& place : places_) {
      if (place.closing || (read_only() && !place.whole_tree)) {
        TRY_VOID(set_read_only(place.path));
      }
    }
    return {};
  }
  bool own_dev() const { return bounded() || isolation_.private_dev || !isolation_.root.empty(); }

  Result<void> open_everything() {
    // A fresh one, made while the host's is still to be seen: a user namespace may not otherwise.
    TRY(DetachedMount proc, isolation_.confinement.host_pid ? DetachedMount::clone_of("/proc")
                                                            : DetachedMount::make("proc", {}));
    proc_ = std::make_unique<DetachedMount>(std::move(proc));
    if (own_dev() && machine_.user_namespace) {
      TRY(devices_, open_devices());
    }
    if (bounded()) {
      TRY_VOID(open_kernel_files());
    }
    if (!isolation_.layer.empty()) {
      open_host_files();
    }
    size_t memories = 0;
    for (const env::ContainerMount& mount : isolation_.mounts) {
      std::string target = env::plain_path(mount.target);
      if (may_stay(mount, target)) {
        TRY(posix::FileDescriptor found, open_or_make_below(mount.source, mount.sub_path));
        stay_.emplace_back(std::move(found), std::move(target));
        continue;
      }
      const bool memory = mount.kind == env::ContainerMount::Kind::tmpfs;
      TRY(DetachedMount opened,
          memory ? Result<DetachedMount>(std::move(memory_.at(memories++))) : open_bind(mount));
      const uint64_t set = (mount.read_only ? MOUNT_ATTR_RDONLY : 0U) |
                           (bounded() && !memory ? MOUNT_ATTR_NODEV : 0U);
      if (set != 0) {
        TRY_VOID(opened.set_attributes(set));
      }
      mounts_.emplace_back(std::move(opened), std::move(target));
    }
    // None covers another that is to be seen in it, in whatever order they were asked for.
    std::stable_sort(mounts_.begin(), mounts_.end(), [](const auto& a, const auto& b) {
      return depth(a.second) < depth(b.second);
    });
    return {};
  }

  // A directory of the host that may stay where it is.
  bool may_stay(const env::ContainerMount& mount, const std::string& target) const {
    return isolation_.root.empty() && !read_only() &&
           mount.kind == env::ContainerMount::Kind::bind && !mount.read_only &&
           !mount.sub_path.empty() && !is_hidden(target) &&
           env::plain_path(mount.source + "/" + mount.sub_path) == target;
  }

  bool is_hidden(const std::string& target) const {
    return std::any_of(hidden_.begin(), hidden_.end(), [&](const std::string& directory) {
      return env::is_within(target, directory);
    });
  }

  // What the kernel tells of the machine and of the container's groups, and what of the files that
  // are hidden is needed nevertheless.
  Result<void> open_kernel_files() {
    // In a user namespace there is no sysfs but the host's.
    if (!machine_.user_namespace || !on_host_root()) {
      TRY(DetachedMount sys, machine_.user_namespace ? DetachedMount::clone_of("/sys")
                                                     : DetachedMount::make("sysfs", {}));
      TRY_VOID(sys.set_attributes(MOUNT_ATTR_RDONLY));
      sys_ = std::make_unique<DetachedMount>(std::move(sys));
    }
    for (const auto& [source, target] : sources_.cgroups) {
      TRY(DetachedMount group, DetachedMount::clone_of(source));
      TRY_VOID(group.set_attributes(MOUNT_ATTR_RDONLY));
      cgroups_.emplace_back(std::move(group), target);
    }
    for (const std::string& path : on_host_root() ? machine_.kept_files : kNoFiles) {
      auto file = DetachedMount::clone_of(path);
      if (file && file->set_attributes(MOUNT_ATTR_RDONLY)) {
        host_files_.emplace_back(*std::move(file), path);
      }
    }
    return {};
  }

  static Result<DetachedMount> open_bind(const env::ContainerMount& mount) {
    return mount.sub_path.empty() ? DetachedMount::clone_of(mount.source)
                                  : DetachedMount::clone_below(mount.source, mount.sub_path);
  }

  // One that is not there is not missed.
  void open_host_files() {
    for (const char* path : kHostFiles) {
      auto file = DetachedMount::clone_of(path);
      if (file && file->set_attributes(MOUNT_ATTR_RDONLY)) {
        host_files_.emplace_back(*std::move(file), path);
      }
    }
  }

  Result<void> enter_own_root() {
    const auto root = isolation_.layer.empty() ? DetachedMount::clone_of(isolation_.root)
                                               : layered(isolation_.root, isolation_.layer);
    if (!root) {
      return cannot_create(root.error());
    }
    TRY_VOID(root->attach(isolation_.root));
    TRY_VOID(enter_root(isolation_.root));
    TRY(posix::FileDescriptor top, root->top());
    places_.push_back({"/", std::move(top)});
    return {};
  }

  // A directory of the container's own memory, which is mounted where nothing of it stays visible.
  Result<DetachedMount> own_part(const std::string& name, mode_t mode = kDirectoryMode) {
    const std::string path = fmt::format("{}/{}", kAssemblyPoint, name);
    if (::mkdir(path.c_str(), mode) != 0) {
      return fail(posix::system_error("mkdir", path, errno));
    }
    return DetachedMount::clone_of(path);
  }

  // /dev, /tmp, /sys, and what is there instead of the host's directories that are hidden: parts of
  // one piece of memory, which costs less than one for each.
  Result<void> attach_own_places() {
    TRY_VOID(prepare_target(kAssemblyPoint, true));
    TRY(const DetachedMount memory, new_tmpfs("0755"));
    TRY_VOID(memory.attach(kAssemblyPoint));
    if (own_dev()) {
      TRY_VOID(make_dev());
    }
    if (isolation_.private_tmp) {
      TRY(const DetachedMount tmp, own_part("tmp", kSharedMode));
      TRY_VOID(attach(tmp, "/tmp"));
    }
    for (const std::string& directory : hidden_) {
      if (exists(directory)) {
        TRY(const DetachedMount part, own_part(fmt::format("hidden-{}", ++parts_)));
        TRY_VOID(attach(part, directory, read_only() || directory != kRun));
      }
    }
    for (const auto& [mount, target] : host_files_) {
      // An image may have something there that is no file: it keeps it.
      [[maybe_unused]] const Result<void> attached = attach(mount, target);
    }
    if (bounded()) {
      TRY_VOID(attach_sys());
      for (size_t i = 0; i < machine_.masked_directories.size(); ++i) {
        TRY(DetachedMount nothing,
            i == 0 ? own_part("empty", kEmptyMode) : DetachedMount::clone_of(kEmptyPlace));
        empty_.push_back(std::move(nothing));
      }
    }
    return bounded() ? mask_files(machine_, "/sys", empty_) : Result<void>();
  }

  Result<void> attach_sys() {
    if (sys_) {
      TRY_VOID(prepare_target("/sys", true));
      TRY_VOID(sys_->attach("/sys"));
    } else if (exists("/sys")) {
      TRY_VOID(set_attributes("/sys", MOUNT_ATTR_RDONLY, AT_RECURSIVE));
    }
    if (!exists(kCgroups)) {
      return {};
    }
    if (machine_.unified_cgroups) {
      // From the container's own group on: its namespace begins there.
      auto groups = DetachedMount::make("cgroup2", {});
      if (groups && groups->set_attributes(MOUNT_ATTR_RDONLY)) {
        return groups->attach(kCgroups);
      }
    }
    TRY(const DetachedMount part, own_part("cgroup"));
    TRY_VOID(attach(part, kCgroups, true));
    for (const auto& [group, target] : cgroups_) {
      TRY_VOID(attach(group, target));
    }
    return {};
  }

  Result<void> make_dev() {
    TRY(DetachedMount dev, own_part("dev"));
    TRY(const posix::FileDescriptor top, dev.top());
    if (!machine_.user_namespace) {
      TRY_VOID(dev.clear_attributes(MOUNT_ATTR_NODEV));
      TRY_VOID(make_devices(top.get()));
    }
    for (const auto& [name, target] : kDeviceLinks) {
      if (::symlinkat(target, top.get(), name) != 0) {
        return fail(posix::system_error("symlink", name, errno));
      }
    }
    // Nothing more is made in it: a device that is would open.
    TRY_VOID(attach(dev, "/dev", !machine_.user_namespace));
    for (const auto& [device, target] : devices_) {
      TRY_VOID(attach(device, target));
    }
    TRY(const DetachedMount shared, own_part("shm", kSharedMode));
    TRY_VOID(attach(shared, "/dev/shm"));
    // One of its own, so that it sees no terminal of the host.
    TRY(DetachedMount terminals,
        DetachedMount::make("devpts", {{"ptmxmode", "0666"}, {"mode", "0620"}}));
    TRY_VOID(terminals.clear_attributes(MOUNT_ATTR_NODEV));
    return attach(terminals, "/dev/pts");
  }

  Result<void> attach(const DetachedMount& mount, const std::string& target, bool closing = false) {
    TRY_VOID(prepare_target(target, mount.is_directory()));
    TRY_VOID(mount.attach(target));
    // It covers what was there.
    std::erase_if(places_,
                  [&](const OwnPlace& place) { return env::is_within(place.path, target); });
    if (mount.is_directory()) {
      TRY(posix::FileDescriptor top, mount.top());
      places_.push_back({target, std::move(top), true, closing});
    }
    return {};
  }

  Result<void> prepare_target(const std::string& target, bool directory) {
    if (exists(target)) {
      return {};
    }
    const size_t slash = target.rfind('/');
    const std::string parent = slash == 0 ? "/" : target.substr(0, slash);
    TRY_VOID(prepare_target(parent, true));
    if (place_of(parent) == nullptr) {
      TRY_VOID(mirror(parent));
    }
    TRY(const posix::FileDescriptor in, open_in(*place_of(parent), parent));
    const std::string name = target.substr(slash + 1);
    if (directory && ::mkdirat(in.get(), name.c_str(), kDirectoryMode) != 0 && errno != EEXIST) {
      return fail(posix::system_error("mkdir", target, errno));
    }
    const int flags = directory ? O_PATH | O_DIRECTORY : O_WRONLY | O_CREAT;
    posix::FileDescriptor made(
        ::openat(in.get(), name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, kFileMode));
    if (!made.valid()) {
      return fail(posix::system_error("create", target, errno));
    }
    if (directory) {
      places_.push_back({target, std::move(made)});
    }
    return {};
  }

  // The innermost.
  const OwnPlace* place_of(const std::string& directory) const {
    const OwnPlace* found = nullptr;
    for (const OwnPlace& place : places_) {
      const bool in =
          place.whole_tree ? env::is_within(directory, place.path) : directory == place.path;
      if (in && (found == nullptr || place.path.size() >= found->path.size())) {
        found = &place;
      }
    }
    return found;
  }

  // A tmpfs in place of `directory` with the same entries, in which more can be made.
  Result<void> mirror(const std::string& directory) {
    const std::string prefix = directory == "/" ? "" : directory;
    posix::PosixFiles files;
    TRY(const std::vector<std::string> names, files.list(directory));
    std::vector<std::pair<DetachedMount, std::string>> trees;
    std::vector<std::pair<std::string, std::string>> links;
    for (const std::string& name : names) {
      const std::string path = prefix + "/" + name;
      std::string target(PATH_MAX, '\0');  // not on the stack, of which callers have several
      const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
      if (length > 0) {
        target.resize(static_cast<size_t>(length));
        links.emplace_back(std::move(target), name);
      } else if (auto tree = DetachedMount::clone_of(path)) {
        trees.emplace_back(*std::move(tree), name);
      }
    }
    TRY(const DetachedMount copy, new_tmpfs("0755"));
    const std::string place = directory == "/" ? kAssemblyPoint : directory;
    TRY_VOID(copy.attach(place));
    for (const auto& [tree, name] : trees) {
      const std::string path = place + "/" + name;
      TRY_VOID(tree.is_directory() ? make_directory(path) : make_file(path));
      TRY_VOID(tree.attach(path));
    }
    for (const auto& [target, name] : links) {
      if (::symlink(target.c_str(), (place + "/" + name).c_str()) != 0) {
        return fail(posix::system_error("symlink", place + "/" + name, errno));
      }
    }
    TRY(posix::FileDescriptor top, copy.top());
    places_.push_back({directory, std::move(top), false});
    return directory == "/" ? enter_root(place) : Result<void>();
  }

  const env::ContainerIsolation& isolation_;
  const MachineFiles& machine_;
  const ViewSources& sources_;
  std::vector<std::string> hidden_;
  std::vector<DetachedMount> memory_;
  std::unique_ptr<DetachedMount> proc_;
  std::unique_ptr<DetachedMount> sys_;
  std::vector<DetachedMount> empty_;
  std::vector<std::pair<DetachedMount, std::string>> cgroups_;
  int parts_ = 0;
  std::vector<std::pair<DetachedMount, std::string>> devices_;
  std::vector<std::pair<DetachedMount, std::string>> mounts_;
  std::vector<std::pair<DetachedMount, std::string>> host_files_;
  std::vector<std::pair<posix::FileDescriptor, std::string>> stay_;
  std::vector<OwnPlace> places_;
};

}  // namespace

Result<void> make_container_view(const env::ContainerIsolation& isolation,
                                 const MachineFiles& machine, const ViewSources& sources) {
  const mode_t before = ::umask(0);
  Result<void> made = FilesystemView(isolation, machine, sources).make();
  ::umask(before);
  return made;
}

}  // namespace windlass::supervisor
