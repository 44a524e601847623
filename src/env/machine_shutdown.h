// Hears that the machine goes down, and can make it wait for a while. Real: src/logind. A simulated
// machine never goes down.
//
// Lives on an executor's thread and calls back there, never inside a call.
#pragma once

#include <functional>
#include <optional>

#include "base/time.h"

namespace windlass::env {

class MachineShutdown {
 public:
  // False: it stays up after all.
  using OnChange = std::function<void(bool imminent)>;

  virtual ~MachineShutdown() = default;

  // From now on the machine waits before it goes down, and `on_change` hears of it. `wanted` is how
  // long it should wait, where that is known. Once.
  virtual void watch(std::optional<Duration> wanted, OnChange on_change) = 0;
  // It need not wait any longer, this time.
  virtual void release() = 0;
};

}  // namespace windlass::env
