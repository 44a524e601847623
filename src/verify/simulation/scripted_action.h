// What people and the outside world do to the cluster at a given time: create, edit and delete Jobs
// and pods, drain and taint nodes, kill processes, move the clock, turn gates. In text:
// `12s delete-pod j 0`, one line of a schedule. Values; performing one is on the control executor.
//
//   create JOB                      one of the scenario's manifests
//   delete-job JOB POLICY           Background, Foreground, Orphan
//   recreate JOB                    deletes it in the background and creates it again
//   suspend|resume JOB
//   parallelism|completions|deadline|ttl JOB N
//   budget JOB N                    of its pods at least N stay
//   delete-pod|force-delete-pod|evict-pod|strip-pod|orphan-pod|mark-pod JOB N   the N-th that runs
//   annotate-pod JOB N VALUE        overwrites its failure count
//   delete-ended-pods JOB
//   cordon|uncordon|drain|delete-node NODE
//   taint|untaint NODE
//   delete-namespace NAME
//   crash NAME DURATION · pause NAME DURATION · clock DURATION · gate NAME on|off
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windlass::verify::simulation {

class TestedCluster;

struct ScriptedAction {
  Duration at = Duration::zero();  // since the start of the run
  std::vector<std::string> words = {};

  bool operator==(const ScriptedAction&) const = default;
};

std::string text_of(const ScriptedAction& action);
Result<ScriptedAction> parse_action(std::string_view text);

// The manifests that `create` names, by Job name.
using Manifests = std::map<std::string, std::string>;

// False when the API server is down: try again later.
bool perform(TestedCluster& cluster, const Manifests& manifests, const ScriptedAction& action);

}  // namespace windlass::verify::simulation
