// Directories that were removed and are as good as new, kept for the next user: to move
// one takes a file system much less than to remove it and make another, most of all ext4 without a
// journal, which passes over everything that was removed within the last minute.
//
// Any thread.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace windlass::posix {

class SpareDirectories {
 public:
  static constexpr size_t kMost = 64;
  // Only directories of this mode are kept, and so have it when they are used again.
  static constexpr unsigned kMode = 0777;

  // Keeps an empty directory of ours to which nothing has been done that would show. False: it is
  // not such a one, or there are enough.
  bool offer(const std::string& path);
  // Moves one to `path`, where nothing is yet. False: there is none, or it cannot be moved there;
  // one that cannot be moved at all is removed.
  bool place(const std::string& path);
  // Those that were not needed since the last call, or all: they are the caller's to remove.
  std::vector<std::string> take_idle();
  std::vector<std::string> take_all();
  bool any();

 private:
  std::mutex mutex_;
  std::vector<std::string> paths_;  // the latest is taken first
  size_t fewest_ = 0;               // that there were since take_idle()
  bool can_move_ = true;            // this file system, without replacing what is there
};

}  // namespace windlass::posix
