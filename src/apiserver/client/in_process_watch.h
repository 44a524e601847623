// A watch of the in-process client: pulls from a WatchStream in bounded batches, so that a long
// history does not keep the executor from everybody else.
#pragma once

#include <memory>
#include <string>

#include "apiserver/verbs/watch_stream.h"
#include "client/api_client.h"
#include "env/executor.h"

namespace windlass::apiserver {

class InProcessWatch final : public client::Watch {
 public:
  static constexpr int kEventsPerTask = 100;

  InProcessWatch(Server& server, env::Executor& executor, Collection collection,
                 std::string resource_version, client::WatchHandler handler);

 private:
  struct State;
  std::shared_ptr<State> state_;  // tasks hold it weakly
};

}  // namespace windlass::apiserver
