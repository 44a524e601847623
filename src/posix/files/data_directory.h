// The real data directory: 0700, its files 0600, held by a lock on the folder and one on the file
// `lock`, which the kernel gives back however the process ends. Wider permissions are refused, with
// the chmod command: the user must know who could read it before, so nothing is
// tightened silently.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "env/data_directory.h"

namespace windlass::posix {

// Whether the lock file says which process holds it.
enum class LockName { own, none };

// Makes the directory if it is not there, and refuses wider permissions than above. Takes nothing.
Result<void> make_data_directory(const std::string& path);

// Makes the directory if it is not there.
Result<std::unique_ptr<env::DataDirectory>> open_data_directory(const std::string& path,
                                                                LockName name = LockName::own);

// One that is there, without holding it: for files that have locks of their own. What permissions
// it and its files have is for the caller to judge.
Result<std::unique_ptr<env::DataDirectory>> enter_directory(const std::string& path);

// Whether some process holds the directory now. Takes nothing and writes nothing.
bool data_directory_in_use(const std::string& path);

// The process that the lock file names, if it has that file open; without such a file, the one that
// locked the folder. An older number may be another process's by now, and in another pid namespace
// it always is.
Result<pid_t> data_directory_owner(const std::string& path);

}  // namespace windlass::posix
