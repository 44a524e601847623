// Where a ledger is, as the flags of commands name it: `sqlite:FILE`, or the address of a
// PostgreSQL database, which may hold a password: no error repeats it. Pure.
#pragma once

#include <string>

#include "base/result.h"

namespace windlass::cli {

// postgresql://... or postgres://...
bool is_database_address(const std::string& address);
// FILE of `sqlite:FILE`.
Result<std::string> ledger_file_of(const std::string& address);

// A path in two: the directory, which may be ".", and the name.
struct FilePlace {
  std::string directory;
  std::string name;
};
FilePlace split_path(const std::string& path);

}  // namespace windlass::cli
