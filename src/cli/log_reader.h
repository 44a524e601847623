// Reads one run's log from its beginning, piece by piece: first the files it was moved to when they
// were full, oldest first, then the one that is being written. Finds its place again when files
// move on meanwhile. A copy is a place to come back to. Uses `files`, which outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cli/log_source.h"
#include "env/files.h"

namespace windlass::cli {

class LogReader {
 public:
  LogReader(env::Files& files, std::string path, const LogText& text)
      : files_(&files), path_(std::move(path)), text_(text) {}

  // The text of the next bytes, at most so many, as far as they are whole lines; nothing where the
  // log ends for now.
  std::optional<std::string> read(size_t bytes);

 private:
  std::string mark_of(int age) const;
  // Which file is being read; the oldest one at the beginning, or when that file is gone.
  int find();
  std::string read_bytes(size_t bytes);

  env::Files* files_;
  std::string path_;
  LogText text_;
  std::string mark_;     // how the file being read begins; empty before there is one
  uint64_t offset_ = 0;  // in that file
  std::string rest_;     // of a line that is not complete
};

}  // namespace windlass::cli
