// What all calls share: the server and what belongs to its HTTP side. Owned by the handler,
// outlives every call. Everything here is used on the core executor, except where it says that it
// is thread-safe.
#pragma once

#include <memory>

#include "apiserver/rest/answers/encoded_cache.h"
#include "apiserver/rest/answers/watch_batches.h"
#include "apiserver/rest/event_rates.h"
#include "apiserver/rest/hooks.h"
#include "apiserver/rest/request_metrics.h"
#include "apiserver/server.h"
#include "env/clock.h"
#include "env/executor.h"
#include "env/random.h"

namespace windlass::apiserver {

struct RestContext : std::enable_shared_from_this<RestContext> {
  RestContext(Server& the_server, env::Clock& the_clock, env::Executor& the_executor,
              env::Random& the_random, RestHooks the_hooks)
      : server(the_server),
        clock(the_clock),
        executor(the_executor),
        random(the_random),
        hooks(std::move(the_hooks)) {}

  bool open = true;  // false once the handler is gone: then the server may be, too
  Server& server;
  env::Clock& clock;  // thread-safe
  env::Executor& executor;
  env::Random& random;
  RestHooks hooks;
  RequestMetrics metrics = {};  // thread-safe
  EncodedCache encoded = {};    // thread-safe
  EventRates event_rates = {};  // thread-safe
  WatchBatches batches = {};
};

}  // namespace windlass::apiserver
