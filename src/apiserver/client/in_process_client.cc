#include "apiserver/client/in_process_client.h"

#include <google/protobuf/message.h>

#include "api/codec/protobuf.h"

namespace windlass::apiserver {

namespace {

// The object for the server to change: itself, or a copy if the caller or anyone else still holds
// it. Canonical, as if it had come over the wire.
api::MutableObjectPtr take(ObjectPtr object) {
  api::MutableObjectPtr taken;
  if (object.use_count() == 1) {
    taken = std::const_pointer_cast<Message>(std::move(object));
  } else {
    taken.reset(object->New());
    taken->CopyFrom(*object);
  }
  api::canonicalize(*taken);
  return taken;
}

}  // namespace

InProcessClient::InProcessClient(Server& server, env::Executor& executor)
    : server_(server), executor_(executor) {}

void InProcessClient::post(std::function<void()> request) {
  executor_.post(
      self_.bind([request = std::move(request)](InProcessClient& /*self*/) { request(); }));
}

void InProcessClient::answer(WriteResult result, client::Done<ObjectPtr> done) {
  const store::Revision durable_at = result.durable_at;
  server_.store().when_committed(
      durable_at, self_.bind([answer = std::move(result.answer), done = std::move(done)](
                                 InProcessClient& /*self*/, const Result<void>& committed) {
        done(committed ? answer : fail(committed.error()));
      }));
}

void InProcessClient::get(const ObjectRef& ref, client::Done<ObjectPtr> done) {
  post([this, ref, done = std::move(done)] { done(server_.get(ref)); });
}

void InProcessClient::list(const Collection& collection, const ListOptions& options,
                           client::Done<ObjectList> done) {
  post([this, collection, options, done = std::move(done)] {
    done(server_.list(collection, options));
  });
}

std::unique_ptr<client::Watch> InProcessClient::watch(const Collection& collection,
                                                      const std::string& resource_version,
                                                      client::WatchHandler handler) {
  return std::make_unique<InProcessWatch>(server_, executor_, collection, resource_version,
                                          std::move(handler));
}

void InProcessClient::create(const ObjectRef& ref, ObjectPtr object, client::Done<ObjectPtr> done) {
  post([this, ref, object = std::move(object), done = std::move(done)]() mutable {
    answer(server_.create(ref, take(std::move(object))), std::move(done));
  });
}

void InProcessClient::update(const ObjectRef& ref, std::string_view subresource, ObjectPtr object,
                             client::Done<ObjectPtr> done) {
  post([this, ref, subresource = std::string(subresource), object = std::move(object),
        done = std::move(done)]() mutable {
    answer(server_.update(ref, subresource, take(std::move(object))), std::move(done));
  });
}

void InProcessClient::patch(const ObjectRef& ref, std::string_view subresource, PatchType type,
                            std::string body, client::Done<ObjectPtr> done) {
  post([this, ref, subresource = std::string(subresource), type, body = std::move(body),
        done = std::move(done)]() mutable {
    answer(server_.patch(ref, subresource, type, body), std::move(done));
  });
}

void InProcessClient::remove(const ObjectRef& ref, const DeleteOptions& options,
                             client::Done<ObjectPtr> done) {
  post([this, ref, options, done = std::move(done)]() mutable {
    answer(server_.remove(ref, options), std::move(done));
  });
}

void InProcessClient::bind(const ObjectRef& pod, const std::string& uid, const std::string& node,
                           client::Done<void> done) {
  post([this, pod, uid, node, done = std::move(done)] {
    answer(server_.bind(pod, {.node = node, .uid = uid}), [done](const Result<ObjectPtr>& bound) {
      done(bound ? Result<void>() : fail(bound.error()));
    });
  });
}

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
