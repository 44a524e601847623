// Keeps a talkative component from flooding the API with events: what was said before is counted
// instead of said again, many alike become one, and one object is heard only so often. The numbers
// are those of client-go. Pure but for its bounded memory; one thread.
#pragma once

#include <set>
#include <string>

#include "base/time.h"
#include "client/bounded_map.h"

namespace windlass::client {

struct Occurrence {
  std::string object;  // what it is about, by UID or name
  std::string type;    // Normal, Warning
  std::string reason;
  std::string message;
  // Neither takes from the budget of its object nor falls to it: how a Job ends must be heard,
  // however much was said of its pods (job-controller.md 10.81).
  bool essential = false;
};

class EventCorrelator {
 public:
  static constexpr size_t kMaxRemembered = 4096;
  // So many different messages for one object, type and reason, then they are told as one.
  static constexpr size_t kMaxSimilar = 10;
  static constexpr Duration kSimilarWindow = minutes(10);
  // So many at once for one object, then one per period.
  static constexpr int kBurst = 25;
  static constexpr Duration kRefill = minutes(5);

  struct Correlation {
    bool drop = false;
    std::string key;      // events of the same key are one event with a count
    std::string message;  // as it should be shown
  };
  Correlation judge(const Occurrence& occurrence, MonotonicTime now);

 private:
  struct Similar {
    MonotonicTime since;
    std::set<std::string> messages;  // at most kMaxSimilar
  };
  struct TokenBucket {
    bool known = false;
    int left = kBurst;
    MonotonicTime refilled;
  };

  bool is_within_budget(const std::string& object, MonotonicTime now);

  BoundedMap<Similar> similar_{kMaxRemembered};
  BoundedMap<TokenBucket> budgets_{kMaxRemembered};
};

}  // namespace windlass::client
