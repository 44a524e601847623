#pragma once

#include "env/clock.h"
#include "env/executor.h"
#include "env/fault.h"
#include "env/files.h"
#include "env/log.h"
#include "env/random.h"

namespace windlass::env {

// What a component gets of the outside world, by constructor. Nothing else reaches it. The members
// outlive every component that holds them.
struct Env {
  Clock& clock;
  Random& random;
  Executor& executor;
  Log& log;
  Files& files;
  Faults& faults = no_faults();
};

}  // namespace windlass::env
