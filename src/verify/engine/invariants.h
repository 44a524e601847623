// The safety invariants of safety.md 1 that a single write of the Job controller can break,
// as checks on the store at the moment of that write. Used by FakeCluster, the random worlds and
// the explorer. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/decision.h"
#include "engine/types.h"

namespace windlass::engine::testing {

using Pods = std::map<std::string, PodView>;  // by name

// A1-A6, T6: a pod is about to be created.
std::vector<std::string> check_create(const JobView& job, const Options& options, const Pods& pods,
                                      const PodPlan& plan);
// C10, P6: a finalizer is about to be removed by the controller.
std::vector<std::string> check_release(const JobView& job, const Options& options,
                                       const PodView& pod);
// P6, W1: what a decision that carries a new verdict may send beside it; `job` is the stored one.
std::vector<std::string> check_decided(const JobView& job, const Decision& decision);
// C2-C5, C8, C9, T1-T5: a status is about to be stored.
std::vector<std::string> check_status(const JobView& job, const Options& options, const Pods& pods,
                                      const JobStatus& next);

}  // namespace windlass::engine::testing

namespace windlass::engine {

// The API server's rules for a change of Job status (api.md 1.7, J121-J141), on the engine's own
// structs. Tests and simulations hold every status the engine emits against them: a refused status
// would be written again and again for ever.

// The rules that `next` breaks, each as "J141: ready 2 > active 1"; empty when the server would
// store it.
std::vector<std::string> broken_status_rules(const JobSpec& spec, const JobStatus& old,
                                             const JobStatus& next);

}  // namespace windlass::engine
