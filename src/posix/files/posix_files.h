#pragma once

#include "env/files.h"

namespace windlass::posix {

// The real file system. Blocks; any thread.
class PosixFiles : public env::Files {
 public:
  static constexpr size_t kMaxEntries = 100'000;

  Result<Type> type(const std::string& path) override;
  Result<std::string> read(const std::string& path, size_t limit) override;
  Result<std::string> read_from(const std::string& path, uint64_t offset, size_t limit) override;
  Result<std::vector<std::string>> list(const std::string& directory) override;
  Result<void> make_directory(const std::string& path) override;
  Result<void> write(const std::string& path, std::string_view content, unsigned mode) override;
  Result<void> set_mode(const std::string& path, unsigned mode) override;
  Result<void> set_group(const std::string& path, uint32_t group) override;
  Result<void> set_link(const std::string& path, const std::string& target) override;
  Result<TreeSize> tree_size(const std::string& path) override;
  Result<void> remove_tree(const std::string& path) override;
};

}  // namespace windlass::posix
