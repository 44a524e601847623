// A folder of files that only grow, for logs: names have folders, which are made as needed. Files
// and folders are for their owner alone. One thread at a time; blocks.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace windlass::posix {

class GrowingFiles {
 public:
  // Makes the folder. The error names it; without one it takes files.
  static Result<GrowingFiles> open(const std::string& path);

  // Adds to the end of the file. The first call for a name empties what is there.
  Result<void> append(const std::string& name, std::string_view bytes);

 private:
  explicit GrowingFiles(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::set<std::string> begun_;  // names
};

}  // namespace windlass::posix
