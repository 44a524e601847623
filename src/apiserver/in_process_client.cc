#include "apiserver/in_process_client.h"

#include <google/protobuf/message.h>

#include "api/codec/protobuf.h"
#include "apiserver/in_process_watch.h"

namespace windlass::apiserver {
namespace {

// What the server may change; canonical, as if it had come over the wire.
std::unique_ptr<Message> own_copy(const Message& object) {
  std::unique_ptr<Message> copy(object.New());
  copy->CopyFrom(object);
  api::canonicalize(*copy);
  return copy;
}

}  // namespace

InProcessClient::InProcessClient(Server& server, env::Executor& executor)
    : server_(server), executor_(executor), alive_(std::make_shared<bool>(true)) {}

InProcessClient::~InProcessClient() = default;

void InProcessClient::post(std::function<void()> request) {
  executor_.post([alive = std::weak_ptr(alive_), request = std::move(request)] {
    if (!alive.expired()) {
      request();
    }
  });
}

void InProcessClient::answer(Decision decision, client::Done<ObjectPtr> done) {
  const store::Revision durable_at = decision.durable_at;
  server_.store().when_committed(
      durable_at, [alive = std::weak_ptr(alive_), answer = std::move(decision.answer),
                   done = std::move(done)](const Result<void>& committed) {
        if (!alive.expired()) {
          done(committed ? answer : fail(committed.error()));
        }
      });
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
    answer(server_.create(ref, own_copy(*object)), std::move(done));
  });
}

void InProcessClient::update(const ObjectRef& ref, std::string_view subresource, ObjectPtr object,
                             client::Done<ObjectPtr> done) {
  post([this, ref, subresource = std::string(subresource), object = std::move(object),
        done = std::move(done)]() mutable {
    answer(server_.update(ref, subresource, own_copy(*object)), std::move(done));
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

}  // namespace windlass::apiserver
