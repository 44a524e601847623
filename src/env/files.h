#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::env {

// The file system as far as manifests and small files go. Errors are plain Status values whose
// message names the path and the reason (`open job.yaml: no such file or directory`).
class Files {
 public:
  virtual ~Files() = default;

  enum class Type { file, directory, other };
  virtual Result<Type> type(const std::string& path) = 0;
  // The whole file; fails without reading on when it has more than `limit` bytes. "-" is stdin.
  virtual Result<std::string> read(const std::string& path, size_t limit) = 0;
  // Names (not paths) of the entries, sorted.
  virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
};

}  // namespace windlass::env
