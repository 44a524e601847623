// Brings one pod's status to the API server, and tries again while the server is away (K-40). One
// write at a time; a view that has not been sent yet is replaced by a newer one. A removal comes
// after everything that was submitted before it has been acknowledged (api.md E76).
//
// Owned by a pod worker, on the client's executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/weak_self.h"
#include "client/api_client.h"
#include "env/clock.h"
#include "env/executor.h"
#include "env/log.h"
#include "node/pod/pod_status.h"

namespace windlass::node {

struct PodIdentity {
  std::string ns;
  std::string name;
  std::string uid;
};

class PodStatusWriter {
 public:
  struct Host {
    client::ApiClient& api;
    env::Executor& executor;
    env::Clock& clock;
    env::Log& log;
    std::string address;
    bool disruption_conditions = true;  // gate PodDisruptionConditions
  };

  // `on_gone`: the pod, or the one with this UID, does not exist any more.
  // `on_idle`: everything submitted has been acknowledged.
  PodStatusWriter(Host host, PodIdentity pod, std::function<void()> on_gone,
                  std::function<void()> on_idle);
  ~PodStatusWriter();
  PodStatusWriter(const PodStatusWriter&) = delete;
  PodStatusWriter& operator=(const PodStatusWriter&) = delete;

  void set_start_time(Time time) { start_time_ = time; }
  void submit(PodStatusView view);
  // Deletes the object with grace 0 (K-37); call once its status is final.
  void remove();
  // Nothing is waiting or under way.
  bool idle() const { return !busy_ && !pending_ && !wants_removal_; }

 private:
  static constexpr Duration kFirstRetry = seconds(1);
  static constexpr Duration kMaxRetry = seconds(30);

  void pump();
  void write();
  bool change(api::Message& pod);
  void on_written(const Result<client::ObjectPtr>& pod);
  void send_removal();
  void on_looked(const Result<client::ObjectPtr>& pod);
  void on_removed(const Result<client::ObjectPtr>& pod);
  void succeed();
  void fail_and_retry(const Status& why);
  void vanish();
  client::ObjectRef ref() const;

  Host host_;
  PodIdentity pod_;
  std::function<void()> on_gone_;
  std::function<void()> on_idle_;
  Time start_time_{};
  std::optional<PodStatusView> pending_;
  std::optional<PodStatusView> sending_;
  bool wants_removal_ = false;
  bool busy_ = false;
  bool gone_ = false;
  Duration retry_ = kFirstRetry;
  env::TimerId timer_ = env::TimerId::none;
  WeakSelf<PodStatusWriter> self_{this};
};

}  // namespace windlass::node
