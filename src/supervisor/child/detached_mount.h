// A mount that is attached nowhere yet, held by a descriptor; and the places to attach it to. Thin
// over the kernel's mount calls (open_tree, fsopen, move_mount), with errors that name the path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "posix/files/file_descriptor.h"

namespace windlass::supervisor {

// Paths below a directory that others write to: a link that leads out of it is refused by
// the kernel, also one that is made meanwhile. Thin over openat2; errors are in errno.

// What is at `below` in the directory `top`, as O_PATH. EXDEV: it leads out.
posix::FileDescriptor open_beneath(int top, const std::string& below);
// The same, where `top` is all there is: a link to /x leads to x in it.
posix::FileDescriptor open_in_root(int top, const std::string& below);

// What is at `below` in the directory `path`, and nowhere else: a link that leads out of it, or
// `..`, is an error, and one of who has asked for it (CreateContainerConfigError). Directories that
// are missing are made.
Result<posix::FileDescriptor> open_or_make_below(const std::string& path, const std::string& below);

class DetachedMount {
 public:
  // What is at `path` now, with all mounts below it.
  static Result<DetachedMount> clone_of(const std::string& path);
  // What open_or_make_below() finds.
  static Result<DetachedMount> clone_below(const std::string& path, const std::string& below);
  // What this descriptor has found; `path` is for errors.
  static Result<DetachedMount> clone_at(const posix::FileDescriptor& found,
                                        const std::string& path);
  // One that was made elsewhere.
  static DetachedMount of(posix::FileDescriptor tree) { return DetachedMount(std::move(tree)); }
  // Without a value it is a flag.
  using Options = std::vector<std::pair<std::string, std::string>>;
  static Result<DetachedMount> make(const std::string& type, const Options& options);

  // MOUNT_ATTR_..., of all mounts in it.
  Result<void> set_attributes(uint64_t set);
  Result<void> clear_attributes(uint64_t clear);
  bool is_directory() const;
  // What is at its top, wherever it is attached, even if a link was put there meanwhile.
  Result<posix::FileDescriptor> top() const;
  Result<void> attach(const std::string& target) const;

 private:
  explicit DetachedMount(posix::FileDescriptor tree) : tree_(std::move(tree)) {}

  posix::FileDescriptor tree_;
};

// Makes `path`, which is a mount point, the root of this mount namespace and forgets the old one.
Result<void> enter_root(const std::string& path);

}  // namespace windlass::supervisor
