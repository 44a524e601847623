#include "verify/journals/fault_disk.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"

namespace windlass::store {
namespace {

constexpr size_t kSector = 512;
constexpr const char* kFolder = "/disk";

struct OpenFile : sqlite3_file {
  FaultDisk* disk;
  void* file;  // FaultDisk::FilePtr*, owned
  uint64_t epoch;
};

}  // namespace

struct FaultDiskVfs : sqlite3_vfs {};

// What SQLite calls. A handle from before a crash belongs to a process that is dead.
struct FaultDiskCalls {
  static OpenFile& open_file(sqlite3_file* handle) { return *static_cast<OpenFile*>(handle); }
  static FaultDisk::File& file(sqlite3_file* handle) {
    return **static_cast<FaultDisk::FilePtr*>(open_file(handle).file);
  }
  static FaultDisk& disk(sqlite3_vfs* vfs) { return *static_cast<FaultDisk*>(vfs->pAppData); }
  static bool fails(sqlite3_file* handle) {
    const OpenFile& open = open_file(handle);
    return open.epoch != open.disk->epoch_ || open.disk->fails();
  }

  static int close(sqlite3_file* handle) {
    delete static_cast<FaultDisk::FilePtr*>(open_file(handle).file);
    handle->pMethods = nullptr;
    return SQLITE_OK;
  }

  static int read(sqlite3_file* handle, void* into, int size, sqlite3_int64 offset) {
    if (fails(handle)) {
      return SQLITE_IOERR_READ;
    }
    const std::string& content = file(handle).now;
    const auto at = std::min(content.size(), static_cast<size_t>(offset));
    const size_t got = std::min(content.size() - at, static_cast<size_t>(size));
    std::memcpy(into, content.data() + at, got);
    std::memset(static_cast<char*>(into) + got, 0, static_cast<size_t>(size) - got);
    return got == static_cast<size_t>(size) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
  }

  static int write(sqlite3_file* handle, const void* from, int size, sqlite3_int64 offset) {
    if (fails(handle)) {
      return SQLITE_IOERR_WRITE;
    }
    return open_file(handle).disk->write(
        file(handle), static_cast<uint64_t>(offset),
        std::string(static_cast<const char*>(from), static_cast<size_t>(size)));
  }

  static int truncate(sqlite3_file* handle, sqlite3_int64 size) {
    if (fails(handle)) {
      return SQLITE_IOERR_TRUNCATE;
    }
    FaultDisk::File& target = file(handle);
    target.unsynced.push_back({static_cast<uint64_t>(size), {}, true});
    FaultDisk::apply(target.now, target.unsynced.back());
    return SQLITE_OK;
  }

  static int sync(sqlite3_file* handle, int /*flags*/) {
    if (open_file(handle).epoch != open_file(handle).disk->epoch_) {
      return SQLITE_IOERR_FSYNC;
    }
    return open_file(handle).disk->sync(file(handle));
  }

  static int size(sqlite3_file* handle, sqlite3_int64* size) {
    if (fails(handle)) {
      return SQLITE_IOERR_FSTAT;
    }
    *size = static_cast<sqlite3_int64>(file(handle).now.size());
    return SQLITE_OK;
  }

  static int lock(sqlite3_file* /*handle*/, int /*level*/) { return SQLITE_OK; }
  static int is_locked(sqlite3_file* /*handle*/, int* locked) {
    *locked = 0;
    return SQLITE_OK;
  }
  static int control(sqlite3_file* /*handle*/, int /*operation*/, void* /*argument*/) {
    return SQLITE_NOTFOUND;
  }
  static int sector(sqlite3_file* /*handle*/) { return 4096; }
  static int characteristics(sqlite3_file* /*handle*/) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

  static const sqlite3_io_methods* methods() {
    static const sqlite3_io_methods table = [] {
      sqlite3_io_methods made = {};
      made.iVersion = 1;
      made.xClose = close;
      made.xRead = read;
      made.xWrite = write;
      made.xTruncate = truncate;
      made.xSync = sync;
      made.xFileSize = size;
      made.xLock = lock;
      made.xUnlock = lock;
      made.xCheckReservedLock = is_locked;
      made.xFileControl = control;
      made.xSectorSize = sector;
      made.xDeviceCharacteristics = characteristics;
      return made;
    }();
    return &table;
  }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* handle, int flags,
                  int* out_flags) {
    handle->pMethods = nullptr;
    FaultDisk& target = disk(vfs);
    if (target.fails()) {
      return SQLITE_CANTOPEN;
    }
    FaultDisk::FilePtr found;
    const std::string name = path == nullptr ? "" : path;
    if (const auto known = target.files_.find(name); known != target.files_.end()) {
      found = known->second;
    } else if ((flags & SQLITE_OPEN_CREATE) != 0) {
      found = std::make_shared<FaultDisk::File>();
      if (!name.empty()) {
        target.files_[name] = found;
      }
    } else {
      return SQLITE_CANTOPEN;
    }
    OpenFile* open = new (handle) OpenFile();
    open->pMethods = methods();
    open->disk = &target;
    open->file = new FaultDisk::FilePtr(std::move(found));
    open->epoch = target.epoch_;
    if (out_flags != nullptr) {
      *out_flags = flags;
    }
    return SQLITE_OK;
  }

  static int remove(sqlite3_vfs* vfs, const char* path, int sync_directory) {
    FaultDisk& target = disk(vfs);
    if (target.fails()) {
      return SQLITE_IOERR_DELETE;
    }
    const auto found = target.files_.find(path);
    if (found == target.files_.end()) {
      return SQLITE_IOERR_DELETE_NOENT;
    }
    target.removed_[path] = found->second;
    target.files_.erase(found);
    if (sync_directory != 0) {
      target.sync_directory();
    }
    return SQLITE_OK;
  }

  static int access(sqlite3_vfs* vfs, const char* path, int /*flags*/, int* result) {
    FaultDisk& target = disk(vfs);
    if (target.fails()) {
      return SQLITE_IOERR_ACCESS;
    }
    *result = target.files_.contains(path) ? 1 : 0;
    return SQLITE_OK;
  }

  static int full_path(sqlite3_vfs* /*vfs*/, const char* path, int size, char* into) {
    sqlite3_snprintf(size, into, "%s", path);
    return SQLITE_OK;
  }
};

class FaultDirectory final : public env::DataDirectory {
 public:
  explicit FaultDirectory(FaultDisk& disk) : disk_(disk), epoch_(disk.epoch_) {}
  ~FaultDirectory() override = default;

  const std::string& path() const override { return path_; }
  Result<bool> has(std::string_view name) override {
    TRY_VOID(call("stat"));
    return disk_.files_.contains(full(name));
  }
  Result<env::FileState> look_at(std::string_view name) override {
    TRY_VOID(call("stat " + full(name)));
    const auto found = disk_.files_.find(full(name));
    if (found == disk_.files_.end()) {
      return fail(plain_error("stat " + full(name) + ": no such file"));
    }
    return env::FileState{{0, reinterpret_cast<uintptr_t>(found->second.get())},
                          found->second->now.size()};
  }
  Result<void> create(std::string_view name) override {
    TRY_VOID(call("create"));
    disk_.files_[full(name)] = std::make_shared<FaultDisk::File>();
    return {};
  }
  Result<void> rename(std::string_view from, std::string_view to) override {
    TRY_VOID(call("rename"));
    auto moved = disk_.files_.extract(full(from));
    if (moved.empty()) {
      return fail(plain_error("rename: no such file"));
    }
    moved.key() = full(to);
    disk_.files_.erase(full(to));
    moved.mapped()->entry_durable = true;
    disk_.files_.insert(std::move(moved));
    disk_.sync_directory();
    return {};
  }
  Result<void> remove(std::string_view name) override {
    TRY_VOID(call("remove"));
    if (auto gone = disk_.files_.extract(full(name)); !gone.empty()) {
      disk_.removed_.insert(std::move(gone));
    }
    return {};
  }
  Result<void> hold_reserve(uint64_t bytes) override {
    TRY_VOID(call("reserve"));
    disk_.reserve_ = 0;
    if (!disk_.room_for(bytes) || disk_.hit(FaultDisk::DiskFault::full)) {
      return fail(plain_error("reserve: no space left on device"));
    }
    disk_.reserve_ = bytes;
    return {};
  }
  void release_reserve() override { disk_.reserve_ = 0; }

 private:
  std::string full(std::string_view name) const { return path_ + "/" + std::string(name); }
  Result<void> call(const std::string& operation) {
    return disk_.epoch_ != epoch_ || disk_.fails()
               ? fail(plain_error(operation + ": input/output error"))
               : Result<void>();
  }

  FaultDisk& disk_;
  uint64_t epoch_;
  std::string path_ = kFolder;
};

FaultDisk::FaultDisk() : registration_(std::make_unique<FaultDiskVfs>()) {
  static int made = 0;
  name_ = "fault-disk-" + std::to_string(++made);
  sqlite3_vfs* real = sqlite3_vfs_find(nullptr);
  FaultDiskVfs& vfs = *registration_;
  vfs.iVersion = 1;
  vfs.szOsFile = sizeof(OpenFile);
  vfs.mxPathname = 512;
  vfs.zName = name_.c_str();
  vfs.pAppData = this;
  vfs.xOpen = FaultDiskCalls::open;
  vfs.xDelete = FaultDiskCalls::remove;
  vfs.xAccess = FaultDiskCalls::access;
  vfs.xFullPathname = FaultDiskCalls::full_path;
  vfs.xRandomness = real->xRandomness;
  vfs.xSleep = real->xSleep;
  vfs.xCurrentTime = real->xCurrentTime;
  CHECK(sqlite3_vfs_register(&vfs, 0) == SQLITE_OK, "a file layer for tests");
}

FaultDisk::~FaultDisk() {
  sqlite3_vfs_unregister(registration_.get());
}

std::unique_ptr<env::DataDirectory> FaultDisk::directory() {
  return std::make_unique<FaultDirectory>(*this);
}

void FaultDisk::plan(DiskFault fault, uint64_t call, bool sticky) {
  fault_ = fault;
  calls_left_ = call;
  sticky_ = sticky;
  planned_ = true;
  happened_ = false;
}

bool FaultDisk::hit(DiskFault fault) {
  // The machine may go down at any call that can fail.
  const bool crash = fault_ == DiskFault::crash && fault == DiskFault::io_error;
  if (!planned_ || (fault_ != fault && !crash)) {
    return false;
  }
  if (calls_left_ > 1) {
    --calls_left_;
    return false;
  }
  if (calls_left_ == 0 && !sticky_ && !crash) {
    return false;
  }
  calls_left_ = 0;
  happened_ = true;
  dead_ = dead_ || crash;
  return true;
}

uint64_t FaultDisk::used() const {
  uint64_t bytes = reserve_;
  for (const auto& [name, file] : files_) {
    bytes += file->now.size();
  }
  return bytes;
}

int FaultDisk::write(File& file, uint64_t offset, std::string bytes) {
  const uint64_t end = offset + bytes.size();
  const uint64_t more = end > file.now.size() ? end - file.now.size() : 0;
  // Only a write that takes room meets its end in the middle.
  const bool short_write = more != 0 && hit(DiskFault::short_write);
  const bool torn = !short_write && hit(DiskFault::torn_write);
  if (hit(DiskFault::full) || (more != 0 && !room_for(more))) {
    return SQLITE_FULL;
  }
  if (short_write || torn) {
    // A sector is written whole or not at all.
    const uint64_t stop = (offset + bytes.size() / 2) / kSector * kSector;
    bytes.resize(stop > offset ? stop - offset : 0);
  }
  file.unsynced.push_back({offset, std::move(bytes)});
  apply(file.now, file.unsynced.back());
  return short_write ? SQLITE_FULL : torn ? SQLITE_IOERR_WRITE : SQLITE_OK;
}

int FaultDisk::sync(File& file) {
  if (dead_) {
    return SQLITE_IOERR_FSYNC;
  }
  if (hit(DiskFault::io_error)) {
    // The kernel has dropped them, and will not try again (safety.md V1). In a crash some may
    // still have been on their way.
    if (!dead_) {
      file.unsynced.clear();
    }
    return SQLITE_IOERR_FSYNC;
  }
  for (const Write& write : file.unsynced) {
    apply(file.durable, write);
  }
  file.unsynced.clear();
  file.entry_durable = true;
  sync_directory();
  return SQLITE_OK;
}

void FaultDisk::sync_directory() {
  removed_.clear();
}

void FaultDisk::apply(std::string& content, const Write& write) {
  if (write.truncate) {
    content.resize(write.offset);
    return;
  }
  if (content.size() < write.offset + write.bytes.size()) {
    content.resize(write.offset + write.bytes.size());
  }
  content.replace(write.offset, write.bytes.size(), write.bytes);
}

void FaultDisk::power_loss(Survival survival, uint64_t seed) {
  Generator random(seed);
  const auto survives = [&] {
    return survival == Survival::all || (survival == Survival::some && random.chance(0.5));
  };
  for (auto& [name, file] : removed_) {
    if (!files_.contains(name) && file->entry_durable && !survives()) {
      files_.emplace(name, file);
    }
  }
  removed_.clear();
  for (auto entry = files_.begin(); entry != files_.end();) {
    File& file = *entry->second;
    if (!file.entry_durable && !survives()) {
      entry = files_.erase(entry);
      continue;
    }
    for (const Write& write : file.unsynced) {
      if (write.truncate) {
        if (survives()) {
          apply(file.durable, write);
        }
        continue;
      }
      for (size_t at = 0; at < write.bytes.size();) {
        const size_t step =
            std::min(kSector - (write.offset + at) % kSector, write.bytes.size() - at);
        if (survives()) {
          apply(file.durable, {write.offset + at, write.bytes.substr(at, step)});
        }
        at += step;
      }
    }
    file.unsynced.clear();
    file.entry_durable = true;
    file.now = file.durable;
    ++entry;
  }
  process_death();
}

void FaultDisk::process_death() {
  ++epoch_;
  dead_ = false;
  planned_ = false;
}

std::string& FaultDisk::content(const std::string& name) {
  const auto found = files_.find(kFolder + ("/" + name));
  CHECK(found != files_.end(), "the test knows its files");
  return found->second->now;
}

void FaultDisk::copy_from(const FaultDisk& other) {
  files_.clear();
  for (const auto& [name, file] : other.files_) {
    files_[name] = std::make_shared<File>(File{file->now, file->now, {}, true});
  }
  reserve_ = other.reserve_;
}

}  // namespace windlass::store
