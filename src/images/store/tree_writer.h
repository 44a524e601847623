// Writes files, directories and links of an archive below one directory. Names come from the
// author of the archive: no path and no link, however it is put together, leads out of the
// directory. Links on the way are followed as in a container whose root it is.
//
// As root it keeps owners, set-id bits and capabilities. As any other user all files belong to that
// user, and there are no set-id bits.
//
// Owned by one unpacking, on its thread; blocks.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "posix/files/file_descriptor.h"

namespace windlass::images {

// The limits of one tree.
inline constexpr size_t kMaxTreeEntries = 4'000'000;
inline constexpr size_t kMaxTreeDepth = 200;

struct EntryMetadata {
  uid_t uid = 0;
  gid_t gid = 0;
  mode_t mode = 0;
  timespec changed = {};
  std::vector<std::pair<std::string, std::string>> attributes = {};  // extended
};

// The path without empty parts, dots and a slash in front; "" is the directory itself. An error for
// one that has `..` in it, is too deep, or too long.
Result<std::string> plain_entry_path(std::string_view path);

class TreeWriter {
 public:
  // `directory` exists and is empty. Fails with "no space" where less than `keep_free` bytes of the
  // disk would be left.
  static Result<TreeWriter> open(const std::string& directory, uint64_t keep_free);

  // Paths are plain. Missing parents are made; what is there is replaced, but directories are kept.
  Result<void> add_directory(const std::string& path, EntryMetadata metadata);
  Result<void> add_link(const std::string& path, const std::string& target,
                        const EntryMetadata& metadata);
  // To a file that was added before.
  Result<void> add_hard_link(const std::string& path, const std::string& target);
  Result<void> add_pipe(const std::string& path, const EntryMetadata& metadata);
  // A file, whose content follows in pieces; what lies between them is a hole.
  Result<void> begin_file(const std::string& path, const EntryMetadata& metadata);
  Result<void> write(const void* data, size_t size, uint64_t offset);
  Result<void> end_file(uint64_t size);

  // Owners, permissions and times of directories, which could not be set before their content was.
  Result<void> finish();

  uint64_t bytes() const { return bytes_; }  // on the disk, about
  // Directories that had to be made, and were never added. "" is the top.
  std::vector<std::string> implied() const { return {implied_.begin(), implied_.end()}; }

 private:
  TreeWriter(posix::FileDescriptor top, std::string directory, uint64_t keep_free);

  struct Place {
    int parent = -1;
    std::string name;
  };
  Result<Place> place_for(const std::string& path);
  Result<void> open_parent(const std::string& parent);
  Result<void> clear(const Place& place, const std::string& path, bool keep_directory);
  Result<void> count_entry(uint64_t bytes);
  Result<void> check_space();
  Result<void> set_owner(int fd, const std::string& path, const EntryMetadata& metadata);
  Result<void> set_metadata(int fd, const std::string& path, const EntryMetadata& metadata);
  Result<void> set_link_metadata(const Place& place, const std::string& path,
                                 const EntryMetadata& metadata);
  void forget_parent() { parent_.reset(); }

  posix::FileDescriptor top_;
  std::string directory_;
  uint64_t keep_free_;
  bool own_ids_;  // owners can be set
  posix::FileDescriptor parent_;
  std::string parent_path_;
  posix::FileDescriptor file_;
  std::string file_path_;
  EntryMetadata file_metadata_;
  std::vector<std::pair<std::string, EntryMetadata>> directories_;
  std::set<std::string> implied_ = {""};
  size_t entries_ = 0;
  uint64_t bytes_ = 0;
  uint64_t unchecked_ = 0;  // bytes since the disk was looked at
};

// What is below `top` at `path`, with links followed as if `top` were the root; not valid and errno
// set otherwise.
posix::FileDescriptor open_in_tree(int top, const std::string& path, int flags);

// Removes a file or a whole tree at `name` in `parent`. One that is not there is fine.
Result<void> remove_in(int parent, const std::string& name, const std::string& path);

}  // namespace windlass::images
