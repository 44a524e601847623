// Jobs whose pods end as a script says, and how they must end: the same on every API server. The
// stories of KEP-3329, KEP-3850, KEP-3939 and KEP-4443, and the Job API around them. Plain data.
#pragma once

#include <string>
#include <vector>

namespace windlass::cluster_tests {

// `ends` is a list of ends in the order in which pods come, `1,0`; for an Indexed Job by index,
// `0:1,0;2:42`, where what is not named ends with 0. An end is an exit code, `D` before one adds
// the condition DisruptionTarget, and `-` is none: the pod goes on until it is deleted.
struct Scenario {
  const char* name;
  const char* spec;  // of the Job, JSON, without the template
  const char* ends;
  const char* verdict;  // `Complete`, or `Failed REASON`
  int succeeded;
  int failed;        // -1: depends on what was running
  int together = 1;  // no pod ends before so many are there
  const char* rule_names = "";
};

const std::vector<Scenario>& scenarios();

// The script of one pod: the end of the `attempt`-th of an index, from 0; of all pods, for a Job
// without indexes, whose index is -1. "0" where the script says nothing.
std::string end_of_pod(const std::string& ends, int index, int attempt);

}  // namespace windlass::cluster_tests
