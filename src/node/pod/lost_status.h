// Whether the API still has what an agent has said of a pod (disruption.md K-40): a client may have
// written an older status over it, or the control plane be restored from an older copy. Pure
// functions of plain values; any thread.
#pragma once

#include "node/pod/pod_spec_view.h"
#include "node/pod/pod_status.h"

namespace windlass::node {

// True where saying `now` again would mend what `seen` shows.
bool has_lost(const PodSeen& seen, const PodStatusView& now);

}  // namespace windlass::node
