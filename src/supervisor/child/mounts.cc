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
#include "supervisor/child/detached_mount.h"

namespace windlass::supervisor {
namespace {

constexpr mode_t kDirectoryMode = 0755;
constexpr mode_t kFileMode = 0644;
// Exists on every Linux system, and is covered anyway: where a new root is put together.
constexpr const char* kAssemblyPoint = "/proc";
constexpr std::array kDevices = {"null", "zero", "full", "random", "urandom", "tty"};
// What an image cannot know of the network, which is the host's.
constexpr std::array kHostFiles = {"/etc/resolv.conf", "/etc/hosts"};
constexpr std::array kDeviceLinks = {
    std::pair("fd", "/proc/self/fd"), std::pair("stdin", "/proc/self/fd/0"),
    std::pair("stdout", "/proc/self/fd/1"), std::pair("stderr", "/proc/self/fd/2")};

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

// All that is mounted at and below `path`, or with no flags what is mounted right there.
Result<void> set_read_only(const std::string& path, unsigned flags) {
  mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (::mount_setattr(AT_FDCWD, path.c_str(), flags, &attributes, sizeof attributes) != 0) {
    return fail(posix::system_error("mount read-only", path, errno));
  }
  return {};
}

// As a container runtime has it: what is not there yet keeps a container waiting.
Failure cannot_create(Status why) {
  return fail(env::is_not_created(why) ? std::move(why) : env::not_created(std::move(why.message)));
}

class FilesystemView {
 public:
  FilesystemView(const env::ContainerIsolation& isolation, const std::vector<int>& memory)
      : isolation_(isolation) {
    for (const int mount : memory) {
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
    } else if (read_only()) {
      TRY_VOID(set_read_only("/", AT_RECURSIVE));
    }
    TRY_VOID(prepare_target("/proc", true));
    TRY_VOID(proc_->attach("/proc"));
    if (own_dev()) {
      TRY_VOID(make_dev());
    }
    if (tmp_) {
      TRY_VOID(attach(*tmp_, "/tmp"));
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
    return read_only() ? close_root() : Result<void>();
  }

 private:
  bool read_only() const { return isolation_.confinement.read_only_root; }

  // What was open for the places of mounts: its own root, and copies of the host's directories.
  Result<void> close_root() {
    if (!isolation_.root.empty()) {
      TRY_VOID(set_read_only("/", 0));
    }
    for (const OwnPlace& place : places_) {
      if (!place.whole_tree) {
        TRY_VOID(set_read_only(place.path, 0));
      }
    }
    return {};
  }
  bool own_dev() const { return isolation_.private_dev || !isolation_.root.empty(); }

  Result<void> open_everything() {
    // A fresh one, made while the host's is still to be seen: a user namespace may not otherwise.
    TRY(DetachedMount proc, isolation_.confinement.host_pid ? DetachedMount::clone_of("/proc")
                                                            : DetachedMount::make("proc", {}));
    proc_ = std::make_unique<DetachedMount>(std::move(proc));
    if (isolation_.private_tmp) {
      TRY(DetachedMount tmp, new_tmpfs("1777"));
      tmp_ = std::make_unique<DetachedMount>(std::move(tmp));
    }
    if (own_dev()) {
      for (const char* name : kDevices) {
        if (auto device = DetachedMount::clone_of(fmt::format("/dev/{}", name))) {
          devices_.emplace_back(*std::move(device), name);
        }
      }
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
      if (mount.read_only) {
        TRY_VOID(opened.set_read_only());
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
           !mount.sub_path.empty() &&
           env::plain_path(mount.source + "/" + mount.sub_path) == target;
  }

  static Result<DetachedMount> open_bind(const env::ContainerMount& mount) {
    return mount.sub_path.empty() ? DetachedMount::clone_of(mount.source)
                                  : DetachedMount::clone_below(mount.source, mount.sub_path);
  }

  // One that is not there is not missed.
  void open_host_files() {
    for (const char* path : kHostFiles) {
      auto file = DetachedMount::clone_of(path);
      if (file && file->set_read_only()) {
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
    for (const auto& [mount, target] : host_files_) {
      // An image may have something there that is no file: it keeps it.
      [[maybe_unused]] const Result<void> attached = attach(mount, target);
    }
    return {};
  }

  Result<void> make_dev() {
    TRY(const DetachedMount dev, new_tmpfs("0755"));
    TRY_VOID(attach(dev, "/dev"));
    for (const auto& [device, name] : devices_) {
      TRY_VOID(attach(device, fmt::format("/dev/{}", name)));
    }
    for (const auto& [name, target] : kDeviceLinks) {
      if (::symlink(target, fmt::format("/dev/{}", name).c_str()) != 0) {
        return fail(posix::system_error("symlink", name, errno));
      }
    }
    TRY(const DetachedMount shared, new_tmpfs("1777"));
    return attach(shared, "/dev/shm");
  }

  Result<void> attach(const DetachedMount& mount, const std::string& target) {
    TRY_VOID(prepare_target(target, mount.is_directory()));
    TRY_VOID(mount.attach(target));
    // It covers what was there.
    std::erase_if(places_,
                  [&](const OwnPlace& place) { return env::is_within(place.path, target); });
    if (mount.is_directory()) {
      TRY(posix::FileDescriptor top, mount.top());
      places_.push_back({target, std::move(top)});
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
  std::vector<DetachedMount> memory_;
  std::unique_ptr<DetachedMount> proc_;
  std::unique_ptr<DetachedMount> tmp_;
  std::vector<std::pair<DetachedMount, std::string>> devices_;
  std::vector<std::pair<DetachedMount, std::string>> mounts_;
  std::vector<std::pair<DetachedMount, std::string>> host_files_;
  std::vector<std::pair<posix::FileDescriptor, std::string>> stay_;
  std::vector<OwnPlace> places_;
};

}  // namespace

Result<void> make_container_view(const env::ContainerIsolation& isolation,
                                 const std::vector<int>& memory) {
  return FilesystemView(isolation, memory).make();
}

}  // namespace windlass::supervisor
