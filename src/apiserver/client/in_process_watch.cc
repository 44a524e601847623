#include "apiserver/client/in_process_watch.h"

namespace windlass::apiserver {

struct InProcessWatch::State : std::enable_shared_from_this<State> {
  Server& server;
  env::Executor& executor;
  client::WatchHandler handler;
  std::unique_ptr<WatchStream> stream;

  State(Server& the_server, env::Executor& the_executor, client::WatchHandler the_handler)
      : server(the_server), executor(the_executor), handler(std::move(the_handler)) {}

  void post(void (State::*step)()) {
    executor.post([weak = weak_from_this(), step] {
      if (const auto self = weak.lock()) {
        (self.get()->*step)();
      }
    });
  }

  void end(Status why) {
    stream.reset();
    handler.on_end(std::move(why));
  }

  void deliver();
};

// The handler may destroy the watch: then only the caller's reference is left.
void InProcessWatch::State::deliver() {
  int looks = WatchStream::kLooksPerTask;
  for (int i = 0; i < kEventsPerTask && looks > 0; ++i) {
    auto next = stream->next(looks);
    if (!next) {
      end(std::move(next).error());
      return;
    }
    if (!*next && looks == 0) {
      break;
    }
    if (!*next) {
      return;  // until the stream wakes us
    }
    handler.on_event(**next);
    if (weak_from_this().use_count() == 1) {
      return;
    }
  }
  post(&State::deliver);
}

InProcessWatch::InProcessWatch(Server& server, env::Executor& executor, Collection collection,
                               std::string resource_version, client::WatchHandler handler)
    : state_(std::make_shared<State>(server, executor, std::move(handler))) {
  executor.post([weak = std::weak_ptr(state_), collection = std::move(collection),
                 version = std::move(resource_version)] {
    const auto state = weak.lock();
    if (!state) {
      return;
    }
    auto opened = WatchStream::open(state->server, collection, version, [weak] {
      if (const auto woken = weak.lock()) {
        woken->post(&State::deliver);
      }
    });
    if (!opened) {
      state->end(std::move(opened).error());
      return;
    }
    state->stream = *std::move(opened);
    state->deliver();
  });
}

}  // namespace windlass::apiserver
