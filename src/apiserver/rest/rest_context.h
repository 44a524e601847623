// What all calls share: the server and what belongs to its HTTP side. Owned by the handler,
// outlives every call. Everything here is used on the core executor, except where it says that it
// is thread-safe.
#pragma once

#include <functional>
#include <memory>

#include "apiserver/rest/encoded_cache.h"
#include "apiserver/rest/hooks.h"
#include "apiserver/rest/request_metrics.h"
#include "apiserver/server.h"
#include "env/clock.h"
#include "env/executor.h"
#include "env/random.h"

namespace windlass::apiserver {

struct RestContext {
  Server& server;
  env::Clock& clock;  // thread-safe
  env::Executor& executor;
  env::Random& random;
  Hooks hooks = {};
  RequestMetrics metrics = {};  // thread-safe
  EncodedCache encoded = {};    // thread-safe
};

}  // namespace windlass::apiserver
