// The files of a data directory that a server has open, and whether they are still the ones in it.
// A file that was removed or replaced takes every write and is gone when the server closes it; one
// that was cut has lost what it had. Both are found before the next write is acknowledged. Belongs
// to the revision log, and to its thread.
#pragma once

#include <string>
#include <vector>

#include "env/data_directory.h"

namespace windlass::store {

class HeldFiles {
 public:
  // The directory outlives it.
  explicit HeldFiles(env::DataDirectory& directory) : directory_(directory) {}

  // The file that has this name now, opened just before.
  Result<void> add(const char* name);
  // It never gets shorter than this, or than it is now, without being told so here.
  void expect_bytes(const char* name, uint64_t least);
  Result<void> expect_present_bytes(const char* name);

  // "" when all of them are as they were, or what is wrong with the first that is not.
  std::string check();

 private:
  struct Held {
    const char* name;
    env::FileIdentity identity;
    uint64_t least_bytes = 0;
  };
  Held& held(const char* name);

  env::DataDirectory& directory_;
  std::vector<Held> files_;
};

}  // namespace windlass::store
