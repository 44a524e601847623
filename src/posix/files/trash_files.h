// The real file system, except that a tree which is removed is only moved away, into a trash
// directory on the same disk, and a thread with time for it does the rest: rmdir and unlink wait
// for the file system's journal, a hundred milliseconds now and then, and the caller has other
// things to do. Empty directories are kept for a moment, to be used again. What a process leaves in
// the trash is emptied by the next.
//
// For one thread. `worker` and `log` outlive it, and what was posted to the worker does not need
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "env/executor.h"
#include "env/log.h"
#include "posix/files/posix_files.h"
#include "posix/files/spare_directories.h"

namespace windlass::posix {

class TrashFiles final : public PosixFiles {
 public:
  // `trash` appears with the first removal.
  TrashFiles(std::string trash, env::Executor& worker, env::Log& log)
      : trash_(std::move(trash)), bin_(std::make_shared<Bin>(worker, log)) {}
  ~TrashFiles() override;
  TrashFiles(const TrashFiles&) = delete;
  TrashFiles& operator=(const TrashFiles&) = delete;

  bool reuse_directory(const std::string& path) override { return bin_->spares.place(path); }

  // What cannot be moved (another disk) is removed within the call.
  Result<void> remove_tree(const std::string& path) override;

 private:
  // What the worker has of it.
  struct Bin : std::enable_shared_from_this<Bin> {
    Bin(env::Executor& its_worker, env::Log& its_log) : worker(its_worker), log(its_log) {}

    void remove(const std::string& path) const;
    void keep_or_remove(const std::string& path);
    void look_for_idle();

    env::Executor& worker;
    env::Log& log;
    SpareDirectories spares;
    bool looks_for_idle = false;  // of the worker's thread
  };

  bool open_trash();
  void remove_later(const std::string& path);

  std::string trash_;
  std::shared_ptr<Bin> bin_;
  bool open_ = false;
  uint64_t last_ = 0;  // number of an entry
};

}  // namespace windlass::posix
