// A file that says since when a node's machine goes down. Containers that end from then on ended
// because of that, and whoever learns of their ends later, because the API server did not answer or
// the agent was killed, says so (disruption.md K-74).
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "env/files.h"
#include "env/log.h"
#include "node/known_runs.h"

namespace windlass::node {

class ShutdownMark {
 public:
  // In a node's own directory.
  ShutdownMark(env::Files& files, env::Log& log, const std::string& data_dir)
      : files_(files), log_(log), path_(data_dir + "/shutdown") {}

  void set(Time since);
  void clear();
  std::optional<Time> read() const;

 private:
  env::Files& files_;
  env::Log& log_;
  const std::string path_;
};

// Whether a pod with these runs has been ended by a shutdown since then: one of its newest ones
// ended, or was lost, after it began.
bool ended_by_shutdown(const PodRuns& runs, Time since);

}  // namespace windlass::node
