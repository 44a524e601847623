// A file as a layer of SQLite's has it, for what lies beside the database: so that tests can put
// faults there, too. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "sqlite/database.h"

struct sqlite3_file;
struct sqlite3_vfs;

namespace windlass::store {

using sqlite::SqliteResult;

class VfsFile {
 public:
  enum class Use { read, read_and_write };

  // It must be there. `vfs` names a registered file layer; "" is SQLite's own.
  static Result<VfsFile> open(const std::string& path, const std::string& vfs, Use use);
  ~VfsFile();
  VfsFile(VfsFile&& other) noexcept = default;
  VfsFile& operator=(VfsFile&& other) noexcept = default;
  VfsFile(const VfsFile&) = delete;
  VfsFile& operator=(const VfsFile&) = delete;

  const std::string& path() const { return *path_; }
  Result<uint64_t> size();
  // As many bytes, or an error.
  Result<void> read(uint64_t offset, void* into, size_t bytes);
  // When one of these is not done, error() says why.
  SqliteResult write(uint64_t offset, const std::string& bytes);
  SqliteResult sync();
  const std::string& error() const { return error_; }

 private:
  struct Close {
    void operator()(sqlite3_file* file) const;
  };
  VfsFile(std::string path, sqlite3_vfs* vfs);
  SqliteResult outcome(const char* operation, int code);

  // The layer keeps a pointer to it.
  std::unique_ptr<std::string> path_;
  sqlite3_vfs* vfs_;
  std::unique_ptr<sqlite3_file, Close> file_;
  std::string error_;
};

}  // namespace windlass::store
