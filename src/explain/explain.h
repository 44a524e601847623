// Why a Job ended as it did, or what it waits for, from its objects alone: the Job, its pods, and
// warnings about it. Works for Jobs of any controller. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "engine/types.h"
#include "explain/explanation.h"

namespace windlass::explain {

struct Evidence {
  api::ObjectPtr job;
  std::vector<api::ObjectPtr> pods;  // of this Job
  std::string create_error;          // of the latest event that says so; "" without one
  std::map<std::string, std::string> pod_warnings = {};  // the latest of silent_pods(), by UID
  std::vector<std::string> created_pods = {};  // names in the Job's events; they may be gone
  Time now;
  engine::Options options;  // of the controller; its back-off is not in the Job
};

// Pods that their node has not started, without a word why in their status: their events may have
// it. The oldest, no more than will be named; only those of `index` if there is one.
std::vector<api::ObjectPtr> silent_pods(const Evidence& evidence, std::optional<int64_t> index);

// Why the Job has no such index, or "".
std::string index_error(const Evidence& evidence, int64_t index);

// With `index`, which index_error() accepts, also the story of this one.
Explanation explain(const Evidence& evidence, std::optional<int64_t> index = std::nullopt);

// The pod whose container's output tells why, if there is one, and that container.
struct LogSource {
  std::string pod;
  std::string container;  // "" leaves the choice to the server

  bool operator==(const LogSource&) const = default;
};
std::optional<LogSource> log_source(const Explanation& explanation);

}  // namespace windlass::explain
