// A program that is in memory alone and cannot be changed, not even by root: what a container could
// find through /proc of the process that starts it is not to be written to (CVE-2019-5736).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "posix/files/file_descriptor.h"

namespace windlass::posix {

class SealedProgram {
 public:
  // `name` is what tools show.
  static Result<SealedProgram> make(const char* name, std::string_view bytes);

  // For this process and those it starts, while this is held.
  std::string path() const;

 private:
  explicit SealedProgram(FileDescriptor file) : file_(std::move(file)) {}

  FileDescriptor file_;
};

}  // namespace windlass::posix
