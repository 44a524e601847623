// Clears DisruptionTarget from pods that were marked and then not disrupted: after two minutes the
// condition becomes False (disruption.md D-10 to D-13), so that a later, real failure is not taken
// for a disruption. Works whatever the feature gates say (F-1).
//
// The two minutes begin anew when a mark changes while it is watched: the component that marked the
// pod again is about to delete it, although the time in the condition is still the first one
// (D-14). Lives on the client's executor; nothing runs after destruction.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/weak_self.h"
#include "client/informer.h"
#include "client/work_queue.h"

namespace windlass::controllers::disruption {

// Of a pod whose mark may turn out to be stale (D-10).
struct Mark {
  std::string key = {};
  std::string uid = {};
  Time since = {};
  std::string reason = {};
  std::string message = {};

  bool same_mark(const Mark& other) const {
    return since == other.since && reason == other.reason && message == other.message;
  }
};

// Nothing: the pod is not marked, or will not stay.
std::optional<Mark> read_mark(const api::Message& pod);

class StaleMarkCleaner {
 public:
  struct Options {
    Duration timeout = minutes(2);
    size_t workers = 5;
  };

  StaleMarkCleaner(client::ClientEnv env, Options options);
  ~StaleMarkCleaner();
  StaleMarkCleaner(const StaleMarkCleaner&) = delete;
  StaleMarkCleaner& operator=(const StaleMarkCleaner&) = delete;

  void start();
  size_t remembered() const { return renewed_.size(); }

 private:
  void on_pod(const Mark* before, const Mark& now);
  // Zero or less: due.
  Duration time_left(const Mark& mark);
  void process(const std::string& key);
  void finish(const std::string& key, const Result<client::ObjectPtr>& result);

  client::ClientEnv env_;
  Options options_;
  std::map<std::string, MonotonicTime> renewed_;  // by pod key: marks seen to come or change
  client::WorkQueue queue_;                       // of pod keys
  client::Informer<Mark> pods_;
  WeakSelf<StaleMarkCleaner> self_{this};
};

}  // namespace windlass::controllers::disruption
