// Events go an hour after they last happened (api.md N23): no client deletes them, and without this
// they would fill the store. Looks through all of them now and then, a page at a time, and deletes
// as any client would, so watchers hear of it. When there are too many, the oldest go earlier. What
// was written less than an hour ago is passed over by its revision alone: that is nearly all of
// them, and reading them would cost more than all else.
//
// Must not outlive the server. Core executor only.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/server.h"
#include "env/clock.h"
#include "env/executor.h"

namespace windlass::apiserver {

struct EventExpiryOptions {
  Duration keep = hours(1);
  Duration period = minutes(1);
  int64_t page = 500;  // events that one task looks at
  // About 1 KB of memory each. Those that happened longest ago go before their hour is over.
  size_t most = 50'000;
};

class EventExpiry {
 public:
  EventExpiry(Server& server, env::Executor& executor, env::Clock& clock,
              EventExpiryOptions options = {});
  ~EventExpiry();
  EventExpiry(const EventExpiry&) = delete;
  EventExpiry& operator=(const EventExpiry&) = delete;

 private:
  // Everything up to `revision` was written before `at`.
  struct ExpiryMark {
    MonotonicTime at;
    store::Revision revision;
  };

  void look_later(Duration delay);
  void look();
  void begin_pass();
  void end_pass();

  Server& server_;
  env::Executor& executor_;
  env::Clock& clock_;
  const EventExpiryOptions options_;
  std::string continue_token_;         // of the page that comes next; "" for the first
  std::deque<ExpiryMark> marks_;       // of the last hour, one for each pass
  store::Revision old_;                // up to here an event may have last happened an hour ago
  store::Revision surplus_ = 0;        // up to here an event goes whatever its age
  std::vector<store::Revision> seen_;  // in this pass
  env::TimerId timer_ = env::TimerId::none;
};

}  // namespace windlass::apiserver
