// What `windlass doctor` keeps of a cluster: the few fields of Jobs, pods and events that its
// checks look at, so that lists of any length fit. Plain data and pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/time.h"

namespace windlass::cli {

// Who wrote a Job's status, and when: as the API server notes it.
struct StatusWriter {
  std::string name;
  Time last;
};

struct JobFacts {
  std::string key;  // namespace/name
  std::string uid;
  std::string version;
  std::string manager;  // spec.managedBy; the built-in one's where it is not set
  Time created;
  bool indexed = false;
  bool suspended = false;
  bool begun = false;  // status.startTime is set
  bool finished = false;
  bool deleting = false;
  int active = 0;
  int succeeded = 0;  // those that are about to be counted, too
  std::vector<StatusWriter> writers = {};
};

struct PodFacts {
  std::string key;
  std::string uid;
  std::string job_uid;  // "" without such an owner
  bool ended = false;
  bool succeeded = false;
  bool deleting = false;
  std::optional<Time> ended_at = {};
  std::string finalizer = {};  // that keeps it until it is counted; "" for none
};

// The API server would not take a Job's status: what the controller's event says.
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
// Nothing for a pod that no check asks about.
std::optional<PodFacts> read_pod_facts(const api::Message& pod);
RefusedStatus read_refusal(const api::Message& event);

}  // namespace windlass::cli
