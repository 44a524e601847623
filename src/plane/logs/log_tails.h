// Ends of logs for the attempt ledger, from the files of nodes that share this process's data
// directory. Uses what it is given, which outlives it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "env/files.h"
#include "env/log.h"
#include "evidence/evidence_collector.h"

namespace windlass::plane {

// `find_node`: the data directory of a node, if it shares that of this process. Other nodes have no
// logs here.
evidence::ReadLogTail local_log_tails(
    env::Files& files, env::Log& log,
    std::function<std::optional<std::string>(const std::string& node)> find_node);

}  // namespace windlass::plane
