// A disk in memory for tests of the store: a file layer for SQLite and a data directory on it, with
// faults. It remembers which writes were synced, so a power loss can take the others, in whole, in
// part, or sector by sector; a sync that fails loses what it should have written, though reads go
// on showing it; and it can be full. Calls are counted, so that a test can let the first, the
// second, the third … go wrong until one run is clean. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/generator.h"
#include "env/data_directory.h"

namespace windlass::store {

class FaultDisk {
 public:
  enum class DiskFault {
    io_error,     // any call
    full,         // a call that takes room
    short_write,  // a write that makes a file longer and stops in the middle: the disk is full
    torn_write,   // a write that stops in the middle with an error
    crash,        // this call and all after it fail: the machine is gone
  };
  enum class Survival { none, all, some };  // of what was not synced

  FaultDisk();
  ~FaultDisk();
  FaultDisk(const FaultDisk&) = delete;
  FaultDisk& operator=(const FaultDisk&) = delete;

  const std::string& vfs() const { return name_; }
  // It may outlive a crash: then it refuses everything, like the process it belongs to.
  std::unique_ptr<env::DataDirectory> directory();

  // The n-th call from now on that the fault can happen to; with `sticky` all after it, too.
  void plan(DiskFault fault, uint64_t call, bool sticky);
  void clear_plan() { planned_ = false; }
  bool happened() const { return happened_; }

  // All files together, the reserve included.
  void set_capacity(uint64_t bytes) { capacity_ = bytes; }
  uint64_t used() const;

  // The process is gone, the machine is not: what was not synced is still in its memory.
  void process_death();
  // What is left of the disk when the power comes back. Handles from before are dead.
  void power_loss(Survival survival, uint64_t seed);

  // The files as they are, for tests that damage them.
  std::string& content(const std::string& name);
  bool has(const std::string& name) const { return files_.contains("/disk/" + name); }
  void copy_from(const FaultDisk& other);

 private:
  friend struct FaultDiskCalls;
  friend class FaultDirectory;

  struct Write {
    uint64_t offset = 0;
    std::string bytes = {};
    bool truncate = false;  // to `offset`
  };
  struct File {
    std::string now;      // what reads see
    std::string durable;  // what is on the disk for sure
    std::vector<Write> unsynced;
    bool entry_durable = false;
  };
  using FilePtr = std::shared_ptr<File>;

  // True when the planned fault happens to this call.
  bool hit(DiskFault fault);
  bool fails() { return dead_ || hit(DiskFault::io_error); }
  bool room_for(uint64_t more) const { return used() + more <= capacity_; }
  int write(File& file, uint64_t offset, std::string bytes);
  int sync(File& file);
  void sync_directory();
  static void apply(std::string& content, const Write& write);

  std::string name_;
  std::unique_ptr<struct FaultDiskVfs> registration_;
  std::map<std::string, FilePtr> files_;
  std::map<std::string, FilePtr> removed_;  // by a removal that is not synced
  uint64_t capacity_ = UINT64_MAX;
  uint64_t reserve_ = 0;
  uint64_t epoch_ = 0;
  bool dead_ = false;
  bool planned_ = false;
  bool sticky_ = false;
  bool happened_ = false;
  DiskFault fault_ = DiskFault::io_error;
  uint64_t calls_left_ = 0;
};

}  // namespace windlass::store
