// An ApiClient that lets writes through only while its fence is open: while an election is won. A
// write that comes too late is answered as refused and never leaves, also when the process was
// paused between deciding and writing: the question is asked at the moment of the call. Reads pass.
//
// Lives on the client's executor; the inner client and the executor outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "client/api_client.h"
#include "env/executor.h"

namespace windlass::client {

class FencedClient final : public ApiClient {
 public:
  FencedClient(ApiClient& inner, env::Executor& executor, std::function<bool()> may_write)
      : inner_(inner), executor_(executor), may_write_(std::move(may_write)) {}

  void get(const ObjectRef& ref, Done<ObjectPtr> done) override {
    inner_.get(ref, std::move(done));
  }
  void list(const Collection& collection, const ListOptions& options,
            Done<ObjectList> done) override {
    inner_.list(collection, options, std::move(done));
  }
  std::unique_ptr<Watch> watch(const Collection& collection, const std::string& resource_version,
                               WatchHandler handler) override {
    return inner_.watch(collection, resource_version, std::move(handler));
  }
  std::unique_ptr<Watch> watch_list(const Collection& collection, WatchHandler handler) override {
    return inner_.watch_list(collection, std::move(handler));
  }
  void create(const ObjectRef& ref, ObjectPtr object, Done<ObjectPtr> done) override {
    if (passes(done)) {
      inner_.create(ref, std::move(object), std::move(done));
    }
  }
  void update(const ObjectRef& ref, std::string_view subresource, ObjectPtr object,
              Done<ObjectPtr> done) override {
    if (passes(done)) {
      inner_.update(ref, subresource, std::move(object), std::move(done));
    }
  }
  void patch(const ObjectRef& ref, std::string_view subresource, PatchType type, std::string body,
             Done<ObjectPtr> done) override {
    if (passes(done)) {
      inner_.patch(ref, subresource, type, std::move(body), std::move(done));
    }
  }
  void remove(const ObjectRef& ref, const DeleteOptions& options, Done<ObjectPtr> done) override {
    if (passes(done)) {
      inner_.remove(ref, options, std::move(done));
    }
  }
  void bind(const ObjectRef& pod, const std::string& uid, const std::string& node,
            Done<void> done) override {
    if (passes(done)) {
      inner_.bind(pod, uid, node, std::move(done));
    }
  }

 private:
  template <class T>
  bool passes(const Done<T>& done) {
    if (may_write_()) {
      return true;
    }
    executor_.post(
        [done] { done(fail(not_sent("not the leader any more: the write was not sent"))); });
    return false;
  }

  ApiClient& inner_;
  env::Executor& executor_;
  std::function<bool()> may_write_;
};

}  // namespace windlass::client
