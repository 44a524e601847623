// Tells pods why they are not scheduled: reads the pod, sets the condition, writes the status, and
// tries again a few times when somebody else was faster (disruption.md C-5). What it cannot write
// it drops: the next attempt to schedule the pod says it again.
//
// Owned by the scheduler, on the client's executor; nothing is called after destruction.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "client/reflector.h"

namespace windlass::scheduler {

class ConditionWriter {
 public:
  explicit ConditionWriter(client::ClientEnv env);
  ~ConditionWriter();
  ConditionWriter(const ConditionWriter&) = delete;
  ConditionWriter& operator=(const ConditionWriter&) = delete;

  // The newest report about a pod replaces one that has not been written yet.
  void report(const std::string& ns, const std::string& name, const std::string& uid,
              std::string reason, std::string message);

 private:
  static constexpr int kMaxTries = 4;
  static constexpr Duration kFirstDelay = milliseconds(10);
  static constexpr int kDelayGrowth = 5;

  struct Report {
    std::string ns;
    std::string name;
    std::string reason;
    std::string message;
    int tries = 0;
    Duration delay = kFirstDelay;
    bool fresh = true;  // changed since it was last sent
    env::TimerId timer = env::TimerId::none;
  };

  void read(const std::string& uid);
  void on_read(const std::string& uid, const Result<client::ObjectPtr>& pod);
  void on_written(const std::string& uid, const Result<client::ObjectPtr>& pod);
  void finish(const std::string& uid);
  void retry(const std::string& uid, const Status& why);
  client::Done<client::ObjectPtr> then(
      const std::string& uid,
      void (ConditionWriter::*next)(const std::string&, const Result<client::ObjectPtr>&));

  client::ClientEnv env_;
  std::map<std::string, Report> reports_;   // by pod uid, those not yet written
  std::shared_ptr<ConditionWriter*> self_;  // callbacks hold it weakly
};

}  // namespace windlass::scheduler
