#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "env/fault.h"
#include "env/files.h"

namespace windlass::virtual_world {

// Files in memory: paths with their content. A folder exists when it was made or something is in
// it.
// "-" is whatever was put there. Links are followed by what reads. Fault point:
// sim_files.read_failed.
class VirtualFiles final : public env::Files {
 public:
  explicit VirtualFiles(env::Faults& faults = env::no_faults()) : faults_(faults) {}

  void put(const std::string& path, std::string content);
  // What write() or set_mode() gave it last; 0 when they did not.
  unsigned mode(const std::string& path) const;
  // What set_group() gave it last; 0 when it did not.
  uint32_t group(const std::string& path) const;
  // "" for what is no link.
  std::string link(const std::string& path) const;

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

 private:
  static constexpr int kMaxLinks = 8;  // on the way to a file

  bool is_directory(const std::string& path) const;
  std::string resolve(std::string path) const;

  env::Faults& faults_;
  std::map<std::string, std::string> files_;
  std::map<std::string, unsigned> modes_;
  std::map<std::string, uint32_t> groups_;
  std::map<std::string, std::string> links_;
  std::set<std::string> directories_;  // those made, as prefixes: with a slash at the end
};

}  // namespace windlass::virtual_world
