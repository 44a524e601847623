// client::ApiClient straight to the server in this process: same verbs, same rules, no HTTP. Lives
// on the core executor, as the server does. Requests run one by one in tasks of their own; their
// answers wait for the commit.
#pragma once

#include <memory>
#include <string>

#include "apiserver/server.h"
#include "apiserver/verbs/watch_stream.h"
#include "base/weak_self.h"
#include "client/api_client.h"
#include "env/executor.h"

namespace windlass::apiserver {

class InProcessClient final : public client::ApiClient {
 public:
  // Destroying it drops the requests that have not run yet; no callback runs after that.
  InProcessClient(Server& server, env::Executor& executor);

  void get(const ObjectRef& ref, client::Done<ObjectPtr> done) override;
  void list(const Collection& collection, const ListOptions& options,
            client::Done<ObjectList> done) override;
  std::unique_ptr<client::Watch> watch(const Collection& collection,
                                       const std::string& resource_version,
                                       client::WatchHandler handler) override;
  void create(const ObjectRef& ref, ObjectPtr object, client::Done<ObjectPtr> done) override;
  void update(const ObjectRef& ref, std::string_view subresource, ObjectPtr object,
              client::Done<ObjectPtr> done) override;
  void patch(const ObjectRef& ref, std::string_view subresource, PatchType type, std::string body,
             client::Done<ObjectPtr> done) override;
  void remove(const ObjectRef& ref, const DeleteOptions& options,
              client::Done<ObjectPtr> done) override;
  void bind(const ObjectRef& pod, const std::string& uid, const std::string& node,
            client::Done<void> done) override;

 private:
  // Runs the request later, unless this is destroyed before.
  void post(std::function<void()> request);
  // Answers when the result is durable.
  void answer(WriteResult result, client::Done<ObjectPtr> done);

  Server& server_;
  env::Executor& executor_;
  WeakSelf<InProcessClient> self_{this};
};

// A watch of the in-process client: pulls from a WatchStream in bounded batches, so that a long
// history does not keep the executor from everybody else.
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
