// A file that says since when a node's machine goes down. Containers that run or end from then on
// end because of that. An agent that learns of their ends later, after the API server did not
// answer or another agent was killed, goes on with the shutdown and reports it (disruption.md
// K-74).
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "env/files.h"
#include "node/container/known_runs.h"

namespace windlass::node {

class ShutdownMark {
 public:
  // In a node's own directory.
  ShutdownMark(env::Files& files, const std::string& data_dir)
      : files_(files), path_(data_dir + "/shutdown") {}

  Result<void> set(Time since);
  Result<void> clear();
  std::optional<Time> read() const;

 private:
  env::Files& files_;
  const std::string path_;
};

// Whether a pod with these runs is one that a shutdown ends: one of its newest ones ended, or was
// lost, after that began, or still runs and was told to end.
bool ended_by_shutdown(const PodRuns& runs, Time since);

}  // namespace windlass::node
