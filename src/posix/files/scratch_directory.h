// A directory for what does not outlive its process. A lock in it says that the process lives, so
// that the next one can remove what a killed one left. Any thread; blocks.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "env/data_directory.h"

namespace windlass::posix {

class ScratchDirectory {
 public:
  // In `parent`, which has to be there: the prefix and six characters, for its owner alone. First
  // removes those of the same user and prefix that no process holds, neither themselves nor a
  // directory in them.
  static Result<ScratchDirectory> make(const std::string& parent, const std::string& prefix);

  const std::string& path() const { return held_->path(); }
  // With all that is in it. Nothing is removed without it.
  Result<void> remove();

 private:
  explicit ScratchDirectory(std::unique_ptr<env::DataDirectory> held) : held_(std::move(held)) {}

  std::unique_ptr<env::DataDirectory> held_;
};

}  // namespace windlass::posix
