// Names of a pod's runs with the supervisor, and what a new agent makes of those it finds there
// (disruption.md M-30, K-12). Pure functions of plain values.
//
// A run is named "<pod uid>/<container>/<attempt>"; the attempt is the container's restart count.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "env/containers.h"
#include "node/container/container_run.h"
#include "node/pod/pod_spec_view.h"

namespace windlass::node {

inline constexpr std::string_view kHostImageId = "host:/";  // the host's own root, as it is

// Of one pod: by container and attempt.
using PodRuns = std::map<std::string, std::map<int, env::ContainerRunInfo>>;

std::string run_id(std::string_view pod_uid, std::string_view container, int attempt);
// As the pod's status names it.
std::string container_id_of(std::string_view run);

// By pod UID. A name that is not ours is under the UID "".
std::map<std::string, PodRuns> group_runs(const std::vector<env::ContainerRunInfo>& runs);

// What a run's end means for its container.
Terminated ended_from(const env::ContainerExit& exit, const ContainerRun& container,
                      RestartPolicy policy);
Terminated start_error(const std::string& message, const std::string& container_id, Time now);

// Fills in a pod's containers from what its status said last and from the runs there are. A run
// that the supervisor knows is the truth; one that was running and is not known is lost.
void adopt(const PodSpecView& spec, const PodSeen& seen, const PodRuns& runs, PodRun& pod);

}  // namespace windlass::node
