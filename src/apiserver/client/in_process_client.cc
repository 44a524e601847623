#include "apiserver/client/in_process_client.h"

#include <google/protobuf/message.h>

#include "api/codec/protobuf.h"
#include "apiserver/client/in_process_watch.h"

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

}  // namespace windlass::apiserver
