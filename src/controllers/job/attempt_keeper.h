// Keeps a lasting record of each attempt. The Job controller tells it of pods that have ended, and
// removes a pod's tracking finalizer only when the record is durable (safety.md F7).
//
// Lives on the client's executor.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/object.h"
#include "engine/state/pod_record.h"

namespace windlass::controllers::job {

// What the end of a pod means for its Job, as the engine judges it.
struct AttemptVerdict {
  engine::Counted counted = engine::Counted::none;
  int32_t rule = -1;  // of the failure policy; -1: none matched
  std::string rule_name = {};
  std::string action = {};
  std::string container = {};  // whose end decided

  bool operator==(const AttemptVerdict&) const = default;
};

// A pod of a Job, as it was last seen.
struct AttemptEnd {
  api::ObjectPtr pod;
  std::string uid = {};  // of the pod
  std::string job_name = {};
  std::string job_uid = {};
  int64_t attempts_before = 0;  // at least, of its index or of the Job
  // Empty when the Job is gone: how the pod counted can no longer be told.
  std::optional<AttemptVerdict> verdict = {};
};

class AttemptKeeper {
 public:
  virtual ~AttemptKeeper() = default;

  // The pod has ended: begins its record, so that it is durable early. Repeats are fine.
  virtual void begin(const AttemptEnd& end) = 0;
  // The finalizer is about to be removed. Calls `go`, now or later, when the record is durable or
  // is given up.
  virtual void keep(const AttemptEnd& end, std::function<void()> go) = 0;
  // The pod is gone, or lost its finalizer to another client.
  virtual void lost(const AttemptEnd& end) = 0;
  // Whether the pod has a record that does not tell its end yet.
  virtual bool awaits_end(const std::string& uid) const = 0;
  // Nothing more will come of this pod.
  virtual void forget(const std::string& uid) = 0;
  // Or of any pod of this Job that is not known yet.
  virtual void forget_job(const std::string& job_uid) = 0;
};

}  // namespace windlass::controllers::job
