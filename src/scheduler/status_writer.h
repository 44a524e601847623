// Tells pods why they are not scheduled and for which node room is being made: reads the pod, sets
// condition and nomination, writes the status, and tries again a few times when another client was
// faster (disruption.md C-5). What it cannot write it drops with a line in the log: the next
// attempt to schedule the pod says it again.
//
// Owned by the scheduler, on the client's executor; nothing is called after destruction.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/weak_self.h"
#include "client/reflector.h"
#include "scheduler/cluster/pod_info.h"

namespace windlass::scheduler {

class SchedulingStatusWriter {
 public:
  struct News {
    std::optional<ScheduledCondition> unscheduled;  // PodScheduled becomes False
    std::optional<std::string> nominated_node;      // "" clears it
  };

  // `on_dropped` hears of pods whose news could not be written.
  SchedulingStatusWriter(client::ClientEnv env,
                         std::function<void(const std::string& uid)> on_dropped);
  ~SchedulingStatusWriter();
  SchedulingStatusWriter(const SchedulingStatusWriter&) = delete;
  SchedulingStatusWriter& operator=(const SchedulingStatusWriter&) = delete;

  // Newer news replace what has not been written yet.
  void report(const PodInfo& pod, News news);

 private:
  static constexpr size_t kMaxInFlight = 64;
  static constexpr int kMaxTries = 4;
  static constexpr Duration kFirstDelay = milliseconds(10);
  static constexpr int kDelayGrowth = 5;

  struct Report {
    std::string ns;
    std::string name;
    News news;
    int tries = 0;
    Duration delay = kFirstDelay;
    bool fresh = true;  // changed since it was last sent
    env::TimerId timer = env::TimerId::none;
  };

  void send_next();
  void send(const std::string& uid);
  bool apply(const std::string& uid, api::Message& pod);
  void on_written(const std::string& uid, const Result<client::ObjectPtr>& pod);
  void retry(const std::string& uid, const Status& why);

  client::ClientEnv env_;
  std::function<void(const std::string& uid)> on_dropped_;
  std::map<std::string, Report> reports_;  // by pod uid, those not yet written
  std::deque<std::string> waiting_;        // for their turn; at most one entry for each report
  size_t in_flight_ = 0;
  WeakSelf<SchedulingStatusWriter> self_{this};
};

// S-17, S-18, C-3: sets PodScheduled to False; false when the pod says so already, or has a node.
bool set_unscheduled(api::Message& pod, const ScheduledCondition& condition, Time now);
// False when the pod says so already, or has a node.
bool set_nominated_node(api::Message& pod, const std::string& node);

}  // namespace windlass::scheduler
