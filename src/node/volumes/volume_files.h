// The files of a volume that is made of objects and fields: configMap, secret, downwardAPI,
// projected. Pure; pod_setup.h writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/files.h"
#include "node/container/environment.h"
#include "node/pod/pod_objects.h"

namespace windlass::node {

struct VolumeFile {
  std::string path;  // below the volume
  std::string content;
  unsigned mode = 0;

  bool operator==(const VolumeFile&) const = default;
};

// Of all such volumes of a pod. One key can be the content of many files, so a small object can ask
// for more than there is room for.
inline constexpr size_t kMaxVolumeBytes = 64 * 1024 * 1024;

// An error when something that has to be there is not, or when there is more than `room` bytes. Of
// two files with one path the later source wins.
Result<std::vector<VolumeFile>> volume_files(const PodSpecView& pod, const VolumePlan& volume,
                                             const HostFacts& host, const PodObjects& objects,
                                             size_t room = kMaxVolumeBytes);

// The files of a volume on the disk, so that containers see all of a new state or all of the old
// one: `..data` is a link to the directory with the current files, and every name in the volume is
// a link through it. A new state is another directory and one change of `..data`.
Result<void> publish_files(env::Files& files, const std::string& directory,
                           const std::vector<VolumeFile>& content, std::optional<uint32_t> group);

uint64_t hash_of(const std::vector<VolumeFile>& content);

// Gives a path to the pod's fsGroup. An agent without that right keeps them: the containers run as
// the same user then.
void hand_over(env::Files& files, const std::string& path, std::optional<uint32_t> group);

}  // namespace windlass::node
