// The files of a volume on the disk, so that containers see all of a new state or all of the old
// one: `..data` is a link to the directory with the current files, and every name in the volume is
// a link through it. A new state is another directory and one change of `..data`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/files.h"
#include "node/volumes/volume_files.h"

namespace windlass::node {

Result<void> publish_files(env::Files& files, const std::string& directory,
                           const std::vector<VolumeFile>& content, std::optional<uint32_t> group);

uint64_t hash_of(const std::vector<VolumeFile>& content);

// Gives a path to the pod's fsGroup. An agent without that right keeps them: the containers run as
// the same user then.
void hand_over(env::Files& files, const std::string& path, std::optional<uint32_t> group);

}  // namespace windlass::node
