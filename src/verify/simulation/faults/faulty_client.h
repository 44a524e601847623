// An ApiClient over a bad line: the calls of one life of one component travel to the API server and
// back with a delay, and each may be refused, lost on the way or on the way back, sent twice or
// answered late, as the fault source says; some end the component's life instead. What is on its
// way when that life ends still arrives.
//
// Lives on the component's executor; the server's part runs on the server's. Nothing is answered
// after destruction.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/generator.h"
#include "base/weak_self.h"
#include "client/api_client.h"
#include "verify/simulation/api_host.h"
#include "verify/simulation/faults/fault_source.h"

namespace windlass::verify::simulation {

// What a component's line to the server needs; the parts outlive it.
struct Line {
  std::string component;
  ApiHost& host;
  virtual_world::VirtualExecutor& own;
  env::Clock& clock;
  FaultSource& faults;
  Generator& generator;
  Duration latency;  // at most, each way
  // The component dies, now: none of its tasks runs any more.
  std::function<void()> crash;
  // The server has really refused a write as invalid.
  std::function<void(const std::string& what, const Status&)> on_invalid;

  MonotonicTime now() const { return clock.monotonic(); }
  Duration delay() {
    return nanoseconds(generator.between(1, std::max<int64_t>(1, latency.count())));
  }
};

// The newest version of each Job that a component has been told of. An answer about a Job that no
// list or watch has told of yet does not count: no controller works on that Job yet.
class SeenVersions {
 public:
  void note(const client::ObjectPtr& object);
  void note_answer(const client::ObjectPtr& object);
  uint64_t of(const std::string& uid) const;

 private:
  std::map<std::string, uint64_t> versions_;
};

class FaultyClient final : public client::ApiClient {
 public:
  explicit FaultyClient(Line line);
  ~FaultyClient() override;
  FaultyClient(const FaultyClient&) = delete;
  FaultyClient& operator=(const FaultyClient&) = delete;

  // The component is dead: nothing more goes out or comes in.
  void cut() { cut_ = true; }

  void get(const client::ObjectRef& ref, client::Done<client::ObjectPtr> done) override;
  void list(const client::Collection& collection, const client::ListOptions& options,
            client::Done<client::ObjectList> done) override;
  std::unique_ptr<client::Watch> watch(const client::Collection& collection,
                                       const std::string& resource_version,
                                       client::WatchHandler handler) override;
  void create(const client::ObjectRef& ref, client::ObjectPtr object,
              client::Done<client::ObjectPtr> done) override;
  void update(const client::ObjectRef& ref, std::string_view subresource, client::ObjectPtr object,
              client::Done<client::ObjectPtr> done) override;
  void patch(const client::ObjectRef& ref, std::string_view subresource, client::PatchType type,
             std::string body, client::Done<client::ObjectPtr> done) override;
  void remove(const client::ObjectRef& ref, const client::DeleteOptions& options,
              client::Done<client::ObjectPtr> done) override;
  void bind(const client::ObjectRef& pod, const std::string& uid, const std::string& node,
            client::Done<void> done) override;

 private:
  template <class T>
  struct Call {
    std::function<void(client::ApiClient&, client::Done<T>)> send;
    client::Done<T> done;
    std::string what;  // `update jobs/status default/j`
    WriteOrigin writer = {};
    bool creates = false;
  };

  template <class T>
  void start(Site site, Call<T> call);
  template <class T>
  void send(uint64_t id, const std::shared_ptr<Call<T>>& call, std::optional<Strike> strike,
            bool wanted);
  template <class T>
  void on_answer(uint64_t id, const std::shared_ptr<Call<T>>& call,
                 const std::optional<Strike>& strike, Result<T> answer);
  template <class T>
  void answer(uint64_t id, const std::shared_ptr<Call<T>>& call, Result<T> answer, Duration delay,
              bool then_crash = false);
  void lose_connection();
  void crash();
  static Site site_of_write(const client::ObjectRef& ref);
  void note(const client::ObjectPtr& object) { seen_->note_answer(object); }
  void note(const client::ObjectList& list);

  Line line_;
  bool cut_ = false;
  uint64_t last_id_ = 0;
  std::map<uint64_t, std::function<void(Status)>> open_;  // how to fail each call under way
  std::shared_ptr<SeenVersions> seen_ = std::make_shared<SeenVersions>();
  WeakSelf<FaultyClient> self_{this};
};

}  // namespace windlass::verify::simulation
