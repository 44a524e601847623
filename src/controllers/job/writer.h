// Sends the writes of one Job's decisions to the API server, a bounded number at a time, and
// answers each exactly once. What the answers mean is the engine's business; this knows how to say
// each write in the API's verbs.
//
// Owned by a JobWorker, on the client's executor; nothing is called after destruction.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/weak_self.h"
#include "client/api_client.h"
#include "controllers/job/adapter.h"

namespace windlass::controllers::job {

// Hears how writes went.
class WriteAnswers {
 public:
  virtual ~WriteAnswers() = default;
  virtual void on_status(const Result<client::ObjectPtr>& stored) = 0;
  virtual void on_create(uint32_t id, const Result<client::ObjectPtr>& pod) = 0;
  virtual void on_pod_write(const engine::PodWrite& write,
                            const Result<client::ObjectPtr>& pod) = 0;
};

// Calls `go`, now or later, when the finalizer of this pod may be removed.
using BeforeRelease =
    std::function<void(const engine::PodWrite& release, std::function<void()> go)>;

// What an error of the API server means for a write.
engine::WriteError classify(const Status& status);

class Writer {
 public:
  Writer(client::ApiClient& client, std::string finalizer, std::string ns, std::string job_name,
         WriteAnswers& answers, BeforeRelease before_release = {});
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // `job` is the newest known object of the Job.
  void send(const api::Message& job, const engine::Decision& decision);

 private:
  static constexpr size_t kMaxInFlight = 64;  // writes of one Job at a time

  using Request = std::function<void()>;
  // Calls the method later, if this still exists, and then starts what waits.
  template <class Answer>
  client::Done<client::ObjectPtr> finishing(Answer answer);

  void enqueue(Request request);
  void enqueue_pod_write(const engine::PodWrite& write);
  void start_waiting();
  client::ObjectRef pod_ref(const std::string& name) const;
  void write_pod(const engine::PodWrite& write);
  void remove(const engine::PodWrite& write);
  // One request each, which says nothing of what it does not change.
  void drop(const engine::PodWrite& write);
  void release(const engine::PodWrite& write);
  void patch(const engine::PodWrite& write, client::PatchType type, const std::string& change);
  // Answers with `why`, or that the pod is gone.
  void look_for(const engine::PodWrite& write, const Status& why);
  void answer_pod_write(const engine::PodWrite& write, const Result<client::ObjectPtr>& pod);

  client::ApiClient& client_;
  const std::string finalizer_;  // that tracks pods
  std::string ns_;
  std::string job_name_;
  WriteAnswers& answers_;
  BeforeRelease before_release_;
  std::deque<Request> waiting_;  // at most what one decision holds
  size_t in_flight_ = 0;
  WeakSelf<Writer> self_{this};
};

}  // namespace windlass::controllers::job
