// Makes victims go (disruption.md 1.5): marks each with DisruptionTarget, and deletes it once the
// mark is stored, and as long as it is. All but the last in parallel, then the last; after a
// failure nothing more is sent. Tells the victims why, never who came instead.
//
// Owned by the scheduler, on the client's executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "client/event_recorder.h"
#include "scheduler/preemption.h"

namespace windlass::scheduler {

class VictimEvictor {
 public:
  struct EvictionResult {
    std::optional<Status> error;  // of the first request that failed
    bool found_gone = false;      // one was not there any more
  };
  using Done = std::function<void(const EvictionResult&)>;

  // Without `disruption_conditions` pods are deleted and not marked (F-1).
  VictimEvictor(client::ClientEnv env, client::EventRecorder& events, bool disruption_conditions);

  // `done` runs later, exactly once.
  void evict(const PodInfo& preemptor, const Victims& victims, Done done);

 private:
  static constexpr size_t kMaxParallel = 16;
  // How often a victim is marked that another client changes between its mark and its delete.
  static constexpr int kMaxMarks = 5;

  // One preemption under way.
  struct Round {
    std::string preemptor_uid;
    std::string scheduler_name;
    std::string node;
    std::vector<PodPtr> victims;
    Done done;
    size_t next = 0;
    size_t in_flight = 0;
    EvictionResult outcome;
  };
  using RoundPtr = std::shared_ptr<Round>;

  void advance(const RoundPtr& round);
  void mark(const RoundPtr& round, const PodPtr& victim, int marks = 1);
  void remove(const RoundPtr& round, const PodPtr& victim, std::optional<std::string> version,
              int marks);
  void on_removed(const RoundPtr& round, const PodPtr& victim, int marks,
                  const Result<client::ObjectPtr>& answer);
  void settle(const RoundPtr& round, bool gone, const std::optional<Status>& error);
  template <class Then>
  client::Done<client::ObjectPtr> then(Then next);

  client::ClientEnv env_;
  client::EventRecorder& events_;
  bool disruption_conditions_;
  WeakSelf<VictimEvictor> self_{this};
};

}  // namespace windlass::scheduler
