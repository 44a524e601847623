// A pod's fate in a few words, for people. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::explain {

// `first-job-1-x7k2p (index 1)`
std::string pod_title(const api::core::v1::Pod& pod);
// `container main exited with 1`, `Evicted: The node was low on resource: memory`
std::string pod_failure_text(const api::core::v1::Pod& pod);
// Why a pending pod does not run, or "": the scheduler's message, or a container's waiting reason.
std::string pod_waiting_text(const api::core::v1::Pod& pod);
// Which component has to act on a pending pod that gives no reason why it does not run: the
// scheduler, the node's, or an init container's.
std::string pod_unstarted_text(const api::core::v1::Pod& pod);
// `2 failures in a row, including ignored ones`
std::string failures_text(int64_t in_a_row, bool some_are_ignored);
// It has a node, which has started nothing of it and gives no reason.
bool is_silent(const api::core::v1::Pod& pod);

}  // namespace windlass::explain
