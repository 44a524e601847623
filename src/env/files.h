#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::env {

// The file system as far as manifests and small files go. Errors are plain Status values whose
// message names the path and the reason (`open job.yaml: no such file or directory`).
class Files {
 public:
  virtual ~Files() = default;

  enum class Type { file, directory, other };
  virtual Result<Type> type(const std::string& path) = 0;
  // The whole file; fails without reading on when it has more than `limit` bytes. "-" is stdin.
  virtual Result<std::string> read(const std::string& path, size_t limit) = 0;
  // At most `limit` bytes from this offset on; nothing at the end or after it.
  virtual Result<std::string> read_from(const std::string& path, uint64_t offset, size_t limit) = 0;
  // Names (not paths) of the entries, sorted.
  virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
  // Makes the directory and its missing parents (0700); one that is there already is fine.
  virtual Result<void> make_directory(const std::string& path) = 0;
  // Makes the file, or replaces what is in it; not atomic. `mode` as chmod has it, whatever the
  // umask is.
  virtual Result<void> write(const std::string& path, std::string_view content, unsigned mode) = 0;
  virtual Result<void> set_mode(const std::string& path, unsigned mode) = 0;
  virtual Result<void> set_group(const std::string& path, uint32_t group) = 0;
  // Makes `path` a symbolic link, in one step where one is there already.
  virtual Result<void> set_link(const std::string& path, const std::string& target) = 0;
  // What a file or tree takes on the disk, links not followed; nothing for what is not there. Stops
  // counting after kMaxCounted entries, so that the caller does not wait for long.
  static constexpr size_t kMaxCounted = 100'000;
  struct TreeSize {
    uint64_t bytes = 0;
    uint64_t entries = 0;  // itself too

    bool operator==(const TreeSize&) const = default;
  };
  virtual Result<TreeSize> tree_size(const std::string& path) = 0;
  // Makes the directory, open to all (0777), out of one that was removed before. False when that is
  // not to be had at little cost: then it is still to be made.
  virtual bool reuse_directory(const std::string&) { return false; }
  // Removes a file or a whole tree, never following links; one that is not there is fine.
  virtual Result<void> remove_tree(const std::string& path) = 0;
};

}  // namespace windlass::env
