// The few fields of Jobs, pods and events that the checks of `windlass doctor` need, so that lists
// of any length fit in memory. Plain data and pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/time.h"

namespace windlass::cli {

// A program that wrote a Job's status, according to managedFields.
struct StatusManager {
  std::string name;
  Time last;
};

struct JobFacts {
  std::string key;  // namespace/name
  std::string uid;
  std::string version;
  std::string manager;  // spec.managedBy, or the built-in controller's name
  Time created;
  bool indexed = false;
  bool suspended = false;
  bool begun = false;  // status.startTime is set
  bool finished = false;
  bool deleting = false;
  int active = 0;
  int succeeded = 0;  // with those in uncountedTerminatedPods
  std::vector<StatusManager> writers = {};
};

struct PodFacts {
  std::string key;
  std::string uid;
  std::string job_uid;  // "" without such an owner
  bool ended = false;
  bool succeeded = false;
  bool deleting = false;
  std::optional<Time> ended_at = {};
  std::string finalizer = {};  // the tracking finalizer; "" for none
};

// The API server rejected a Job's status, according to an event of the controller.
struct RefusedStatus {
  std::string job_key;
  std::string message;
  Time last;
};

struct ClusterFacts {
  std::vector<JobFacts> jobs = {};
  std::vector<PodFacts> pods = {};  // of Jobs, or with a tracking finalizer
  std::vector<RefusedStatus> refusals = {};
};

JobFacts read_job_facts(const api::Message& job);
// Nothing for a pod that no check needs.
std::optional<PodFacts> read_pod_facts(const api::Message& pod);
RefusedStatus read_refusal(const api::Message& event);

}  // namespace windlass::cli
