// The real file system, except that a tree which is removed is only moved away, into a trash
// directory on the same disk, and a thread with time for it does the rest: rmdir and unlink wait
// for the file system's journal, a hundred milliseconds now and then, and the caller has other
// things to do. What a process leaves in the trash is emptied by the next.
//
// For one thread. `worker` and `log` outlive it, and what was posted to the worker does not need
// it.
#pragma once

#include <cstdint>
#include <string>

#include "env/executor.h"
#include "env/log.h"
#include "posix/posix_files.h"

namespace windlass::posix {

class TrashFiles final : public PosixFiles {
 public:
  // `trash` appears with the first removal.
  TrashFiles(std::string trash, env::Executor& worker, env::Log& log)
      : trash_(std::move(trash)), worker_(worker), log_(log) {}

  // What cannot be moved (another disk) is removed within the call.
  Result<void> remove_tree(const std::string& path) override;

 private:
  bool open_trash();
  void remove_later(const std::string& path);

  std::string trash_;
  env::Executor& worker_;
  env::Log& log_;
  bool open_ = false;
  uint64_t last_ = 0;  // number of an entry
};

}  // namespace windlass::posix
