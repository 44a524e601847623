// Events go an hour after they last happened (api.md N23): nobody deletes them, and without this
// they would fill the store. Looks through all of them now and then, a page at a time, and deletes
// as any client would, so watchers hear of it.
//
// Must not outlive the server. Core executor only.
#pragma once

#include <memory>
#include <string>

#include "apiserver/server.h"
#include "env/clock.h"
#include "env/executor.h"

namespace windlass::apiserver {

struct EventExpiryOptions {
  Duration keep = hours(1);
  Duration period = minutes(1);
  int64_t page = 500;  // events that one task looks at
};

class EventExpiry {
 public:
  EventExpiry(Server& server, env::Executor& executor, env::Clock& clock,
              EventExpiryOptions options = {});
  ~EventExpiry();
  EventExpiry(const EventExpiry&) = delete;
  EventExpiry& operator=(const EventExpiry&) = delete;

 private:
  void look_later(Duration delay);
  void look();

  Server& server_;
  env::Executor& executor_;
  env::Clock& clock_;
  const EventExpiryOptions options_;
  std::string continue_token_;  // of the page that comes next; "" for the first
  env::TimerId timer_ = env::TimerId::none;
};

}  // namespace windlass::apiserver
