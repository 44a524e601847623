// The one folder where a server keeps what must survive it. Holding it keeps every other process
// out, and it holds some of the disk back for the day it is full. Names are those of files directly
// in the folder. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace windlass::env {

// Which file a name stands for: two files that exist at the same time never have the same.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t number = 0;
  bool operator==(const FileIdentity&) const = default;
};

struct FileState {
  FileIdentity identity;
  uint64_t bytes = 0;
  uint32_t mode = 0600;  // permissions, as chmod has them
};

class DataDirectory {
 public:
  // Other processes may have it then.
  virtual ~DataDirectory() = default;

  virtual const std::string& path() const = 0;
  virtual Result<bool> has(std::string_view name) = 0;
  // Of the file that others find under path() and this name now; an error when there is none.
  virtual Result<FileState> look_at(std::string_view name) = 0;
  // An empty file that only its owner can open, in place of any that was there.
  virtual Result<void> create(std::string_view name) = 0;
  // Survives a crash of the machine once it returns; replaces what `to` named.
  virtual Result<void> rename(std::string_view from, std::string_view to) = 0;
  // One that is not there is fine.
  virtual Result<void> remove(std::string_view name) = 0;

  // Takes so much of the disk; again and again is fine. Fails when there is not that much left, and
  // then holds nothing.
  virtual Result<void> hold_reserve(uint64_t bytes) = 0;
  virtual void release_reserve() = 0;
};

}  // namespace windlass::env
