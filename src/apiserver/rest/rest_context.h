// What all calls share: the server and what belongs to its HTTP side. Owned by the handler,
// outlives every call. Everything here is used on the core executor, except where it says that it
// is thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "apiserver/rest/answers/encoded_cache.h"
#include "apiserver/rest/hooks.h"
#include "apiserver/rest/request_metrics.h"
#include "apiserver/server.h"
#include "base/time.h"
#include "env/clock.h"
#include "env/executor.h"
#include "env/random.h"
#include "http/rate_limit.h"

namespace windlass::apiserver {

// How fast one user may write events: a component that reports without end fills the store, and
// the queue of every watcher of events. Admins have no such limit. Thread-safe.
class EventRates {
 public:
  // As many as a kubelet writes at most by itself; a burst is for a node that starts many pods.
  static constexpr double kPerSecond = 50;
  static constexpr double kBurst = 1000;
  // More users than these begin anew together.
  static constexpr size_t kMaxUsers = 4096;

  // False when the user has to wait.
  bool take(const std::string& user, MonotonicTime now) {
    const std::lock_guard lock(mutex_);
    if (rates_.size() >= kMaxUsers && !rates_.contains(user)) {
      rates_.clear();
    }
    return rates_.try_emplace(user, kPerSecond, kBurst).first->second.take(now) == Duration::zero();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, http::RateLimit> rates_;
};

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
