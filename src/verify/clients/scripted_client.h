// An ApiClient for tests: keeps every call, and answers when the test says so.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "base/check.h"
#include "client/api_client.h"

namespace windlass::client {

class ScriptedClient final : public ApiClient {
 public:
  struct Get {
    ObjectRef ref;
    Done<ObjectPtr> done;
  };
  struct List {
    Collection collection;
    ListOptions options;
    Done<ObjectList> done;
  };
  struct Write {
    std::string verb;
    ObjectRef ref;
    std::string subresource;
    ObjectPtr object;
    std::string body;
    Done<ObjectPtr> done;
  };
  // A watch that is open, in the order of opening; gone once its owner destroyed it.
  struct OpenWatch {
    Collection collection;
    std::string resource_version;
    WatchHandler handler;
  };

  void get(const ObjectRef& ref, Done<ObjectPtr> done) override {
    gets.push_back({ref, std::move(done)});
  }
  void list(const Collection& collection, const ListOptions& options,
            Done<ObjectList> done) override {
    lists.push_back({collection, options, std::move(done)});
  }
  std::unique_ptr<Watch> watch(const Collection& collection, const std::string& resource_version,
                               WatchHandler handler) override {
    auto open =
        std::make_shared<OpenWatch>(OpenWatch{collection, resource_version, std::move(handler)});
    watches.push_back(open);
    return std::make_unique<Handle>(*this, std::move(open));
  }
  std::unique_ptr<Watch> watch_list(const Collection& collection, WatchHandler handler) override {
    return streams_lists ? watch(collection, "list", std::move(handler)) : nullptr;
  }
  void create(const ObjectRef& ref, ObjectPtr object, Done<ObjectPtr> done) override {
    writes.push_back({"create", ref, "", std::move(object), "", std::move(done)});
  }
  void update(const ObjectRef& ref, std::string_view subresource, ObjectPtr object,
              Done<ObjectPtr> done) override {
    writes.push_back(
        {"update", ref, std::string(subresource), std::move(object), "", std::move(done)});
  }
  void patch(const ObjectRef& ref, std::string_view subresource, PatchType, std::string body,
             Done<ObjectPtr> done) override {
    writes.push_back(
        {"patch", ref, std::string(subresource), nullptr, std::move(body), std::move(done)});
  }
  void remove(const ObjectRef& ref, const DeleteOptions&, Done<ObjectPtr> done) override {
    writes.push_back({"delete", ref, "", nullptr, "", std::move(done)});
  }
  void bind(const ObjectRef& pod, const std::string&, const std::string& node,
            Done<void> done) override {
    writes.push_back({"bind", pod, "", nullptr, node, [done](const Result<ObjectPtr>& answer) {
                        done(answer ? Result<void>() : fail(answer.error()));
                      }});
  }

  void answer_list(Result<ObjectList> answer) { take(lists).done(std::move(answer)); }
  void answer_write(Result<ObjectPtr> answer) { take(writes).done(std::move(answer)); }
  void send(EventType type, ObjectPtr object) {
    CHECK(!watches.empty(), "a watch is open");
    const auto open = watches.back();
    open->handler.on_event({type, std::move(object)});
  }
  void end_watch(Status status) {
    CHECK(!watches.empty(), "a watch is open");
    const auto open = watches.back();
    open->handler.on_end(std::move(status));
  }

  bool streams_lists = false;  // watch_list() is watch() from the version `list`
  std::deque<Get> gets;
  std::deque<List> lists;
  std::deque<Write> writes;
  std::deque<std::shared_ptr<OpenWatch>> watches;

 private:
  class Handle final : public Watch {
   public:
    Handle(ScriptedClient& client, std::shared_ptr<OpenWatch> open)
        : client_(client), open_(std::move(open)) {}
    ~Handle() override { std::erase(client_.watches, open_); }

   private:
    ScriptedClient& client_;
    std::shared_ptr<OpenWatch> open_;
  };

  template <class Call>
  static Call take(std::deque<Call>& calls) {
    CHECK(!calls.empty(), "a call is waiting");
    Call call = std::move(calls.front());
    calls.pop_front();
    return call;
  }
};

}  // namespace windlass::client
