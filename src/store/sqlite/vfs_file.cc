#include "store/sqlite/vfs_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace windlass::store {

void VfsFile::Close::operator()(sqlite3_file* file) const {
  if (file->pMethods != nullptr) {
    file->pMethods->xClose(file);
  }
  std::free(file);
}

VfsFile::VfsFile(std::string path, sqlite3_vfs* vfs)
    : path_(std::make_unique<std::string>(std::move(path))), vfs_(vfs) {}

VfsFile::~VfsFile() = default;

Result<VfsFile> VfsFile::open(const std::string& path, const std::string& vfs, Use use) {
  VfsFile opened(path, sqlite3_vfs_find(vfs.empty() ? nullptr : vfs.c_str()));
  opened.file_.reset(
      static_cast<sqlite3_file*>(std::calloc(1, static_cast<size_t>(opened.vfs_->szOsFile))));
  // The kind of file that no layer locks, and that is not removed when it is closed.
  const int flags =
      SQLITE_OPEN_SUPER_JOURNAL | (use == Use::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  int granted = 0;
  if (!opened.file_ || opened.vfs_->xOpen(opened.vfs_, opened.path_->c_str(), opened.file_.get(),
                                          flags, &granted) != SQLITE_OK) {
    return fail(plain_error(path + ": cannot be opened"));
  }
  if (use == Use::read_and_write && (granted & SQLITE_OPEN_READONLY) != 0) {
    return fail(plain_error(path + ": cannot be written"));
  }
  return opened;
}

Result<uint64_t> VfsFile::size() {
  sqlite3_int64 bytes = 0;
  if (file_->pMethods->xFileSize(file_.get(), &bytes) != SQLITE_OK) {
    return fail(plain_error(path() + ": cannot be looked up"));
  }
  return static_cast<uint64_t>(bytes);
}

Result<void> VfsFile::read(uint64_t offset, void* into, size_t bytes) {
  if (file_->pMethods->xRead(file_.get(), into, static_cast<int>(bytes),
                             static_cast<sqlite3_int64>(offset)) != SQLITE_OK) {
    return fail(plain_error(fmt::format("{}: cannot be read at byte {}", path(), offset)));
  }
  return {};
}

SqliteResult VfsFile::write(uint64_t offset, const std::string& bytes) {
  return outcome("written",
                 file_->pMethods->xWrite(file_.get(), bytes.data(), static_cast<int>(bytes.size()),
                                         static_cast<sqlite3_int64>(offset)));
}

SqliteResult VfsFile::sync() {
  return outcome("synced",
                 file_->pMethods->xSync(file_.get(), SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY));
}

SqliteResult VfsFile::outcome(const char* operation, int code) {
  if (code == SQLITE_OK) {
    return SqliteResult::done;
  }
  // Set by the layer of this call; a layer without it has no more to say than its code.
  const int system = vfs_->xGetLastError != nullptr ? vfs_->xGetLastError(vfs_, 0, nullptr) : 0;
  error_ =
      fmt::format("{}: cannot be {} ({}{})", path(), operation, code,
                  system != 0 ? ", " + std::generic_category().message(system) : std::string());
  const bool quota = code == SQLITE_IOERR_WRITE && system == EDQUOT;
  return code == SQLITE_FULL || quota ? SqliteResult::full : SqliteResult::failed;
}

}  // namespace windlass::store
