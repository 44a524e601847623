// The real data directory: 0700, its files 0600, held by a lock on the file `lock` that the kernel
// gives back however the process ends. What is laxer is refused with the command that mends it:
// whoever could read it before must be known to the user, so nothing is tightened silently.
#pragma once

#include <memory>

#include "env/data_directory.h"

namespace windlass::posix {

// Makes the directory if it is not there.
Result<std::unique_ptr<env::DataDirectory>> open_data_directory(const std::string& path);

// Whether some process holds the directory now. Takes nothing and writes nothing.
bool data_directory_in_use(const std::string& path);

}  // namespace windlass::posix
