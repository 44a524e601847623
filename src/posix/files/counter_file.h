// A number in a file of its own, held by a lock that other processes wait for. One thread at a
// time; blocks.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "posix/files/file_descriptor.h"

namespace windlass::posix {

class CounterFile {
 public:
  // Makes the file (0600) if it is not there. Held until this goes.
  static Result<CounterFile> lock(const std::string& path);

  // 0 for a new file, or one that has no number.
  int64_t last() const;
  Result<void> keep(int64_t number);

 private:
  CounterFile(std::string path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FileDescriptor file_;
};

}  // namespace windlass::posix
