// The list of the files of a backup with their digests: `<64 hex digits>  <name>` in each line.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "env/files.h"

namespace windlass::backup {

// Of all files of the directory but the list itself; it is on the disk when this returns.
Result<void> write_checksums(env::Files& files, const std::string& directory);

// The names, once every file is as the list says.
Result<std::vector<std::string>> verify_checksums(env::Files& files, const std::string& directory);

}  // namespace windlass::backup
