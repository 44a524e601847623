// Flags of the commands that run nodes: where images are, how much a node has, when it is short of
// that, and how it shuts down.
#pragma once

#include "cli/flags/flags.h"
#include "node/shutdown/node_shutdown.h"
#include "plane/node_settings.h"

namespace windlass::cli {

// Each node is a process.
inline constexpr size_t kMaxNodes = 100;
// As many as were tried in one process.
inline constexpr size_t kMaxHollowNodes = 10'000;

// --data-dir of a command that uses the data directory of `windlass up`.
void declare_data_dir(Flags& flags, std::string& data_dir, const std::string& help);
// -v
void declare_verbosity(Flags& flags, int& verbosity);
// --image-dir of `windlass image` and of the nodes.
void declare_image_dir(Flags& flags, std::string& directory);
// --image-dir and --host-root
void declare_image_flags(Flags& flags, plane::NodeImages& images);
// A line that says that containers may write to this machine; "" where they may not.
std::string host_root_note(const plane::NodeImages& images);
// --shutdown-grace-period and its variants; without any there are no groups.
void declare_shutdown_flags(Flags& flags, node::ShutdownGroups& groups);
// --node-capacity and --eviction-*
void declare_limit_flags(Flags& flags, plane::NodeLimits& limits);

}  // namespace windlass::cli
