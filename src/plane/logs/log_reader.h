// Reads the log of one run from its beginning, piece by piece: first the rotated files, oldest
// first, then the current one. Finds its place again after a rotation. A copy is a bookmark. Uses
// `files`, which outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "env/files.h"
#include "plane/logs/log_source.h"

namespace windlass::plane {

class LogReader {
 public:
  LogReader(env::Files& files, std::string path, const LogText& text)
      : files_(&files), path_(std::move(path)), text_(text) {}

  // The whole lines of the next bytes, at most `bytes`; nothing at the present end of the log.
  std::optional<std::string> read(size_t bytes);

 private:
  std::string mark_of(int age) const;
  // The age of the file being read; the oldest one at the beginning, or when that file is gone.
  int find();
  std::string read_bytes(size_t bytes);

  env::Files* files_;
  std::string path_;
  LogText text_;
  std::string mark_;     // how the file being read begins; empty before there is one
  uint64_t offset_ = 0;  // in that file
  std::string rest_;     // of a line that is not complete
};

}  // namespace windlass::plane
