// The newest acknowledged revision in a file of its own, `store.db-newest`: how a start finds that
// the database or its log has lost what was acknowledged (docs/decisions/0046). Written after the
// commit and before the acknowledgement, so it never names a revision that a crash can take back.
// Written, not synced: a sync follows soon, for many commits at once.
//
// Two slots that take turns, each with its checksum: a write that power loss cuts off spoils one.
// Belongs to the revision log, and to its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "env/data_directory.h"
#include "store/sqlite/vfs_file.h"
#include "store/version.h"

namespace windlass::store {

constexpr const char* kMarkFile = "store.db-newest";

class NewestMark {
 public:
  // Nothing when there is none: the directory is new, or of a program that made none.
  static Result<std::optional<NewestMark>> open(env::DataDirectory& directory,
                                                const std::string& vfs);
  // It is on the disk when this returns.
  static Result<NewestMark> make(env::DataDirectory& directory, const std::string& vfs,
                                 Revision revision);

  Revision revision() const { return revision_; }
  SqliteResult write(Revision revision);
  SqliteResult sync();
  // Of the last call that was not `done`.
  const std::string& error() const { return file_.error(); }

 private:
  explicit NewestMark(VfsFile file) : file_(std::move(file)) {}
  Result<void> load();

  VfsFile file_;
  Revision revision_ = 0;
  uint64_t next_slot_ = 0;
  bool synced_ = true;
};

}  // namespace windlass::store
