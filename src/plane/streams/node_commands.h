// Commands in containers of nodes that share this process's data directory, for `kubectl exec`:
// asks the node's supervisor for the command, and moves the bytes of its streams between the
// descriptors and the API server.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apiserver/rest/streams/container_streams.h"
#include "posix/event_loop.h"

namespace windlass::plane {

// The data directory of a node, if it shares that of this process.
using FindNodeFiles = std::function<std::optional<std::string>(const std::string& node)>;

// Commands live on the loop, which outlives them.
apiserver::OpenCommand node_commands(posix::EventLoop& loop, FindNodeFiles find_node);

}  // namespace windlass::plane
