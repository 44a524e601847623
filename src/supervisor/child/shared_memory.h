// Memory that several containers mount: a tmpfs for each name, in a mount namespace of its own that
// no process is in. Descriptors of the supervisor are all that holds it, so it is mounted nowhere
// on the machine, and goes with the supervisor however that ends, as its containers do.
//
// What has to be done inside such a namespace is done by a child that enters it, sends back what it
// has opened there, and ends: a mount can be copied only by who is where it is attached (before
// Linux 6.15), and an ordinary user may do it only in the user namespace that the memory was made
// in.
//
// Owned by the supervisor, on its thread.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/containers.h"
#include "posix/files/file_descriptor.h"
#include "supervisor/child/child.h"

namespace windlass::supervisor {

class SharedMemory {
 public:
  // At most `limit` names at a time; each takes three descriptors.
  SharedMemory(ChildSetting setting, size_t limit) : setting_(setting), limit_(limit) {}

  // For every mount of memory, in their order, a new one that is attached nowhere. What they name
  // is made if it is not there yet, and held by `run` until that is released.
  Result<std::vector<posix::FileDescriptor>> open(const std::string& run,
                                                  const std::vector<env::ContainerMount>& mounts);
  void release(const std::string& run);
  bool any() const { return !memories_.empty(); }
  // Adds what is in it, once, to the first of those that hold it.
  void add_to(std::vector<env::ContainerUse>& containers) const;

 private:
  struct Memory {
    posix::FileDescriptor mounts;  // its mount namespace
    posix::FileDescriptor users;   // the user namespace of that; not valid without one
    posix::FileDescriptor top;
    std::set<std::string> runs;
  };

  Result<Memory> make(const env::ContainerMount& mount) const;
  static Result<posix::FileDescriptor> mount_of(const Memory& memory, const std::string& sub_path);

  ChildSetting setting_;
  size_t limit_;
  std::map<std::string, Memory> memories_;
};

}  // namespace windlass::supervisor
