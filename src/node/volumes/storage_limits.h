// Limits of local storage (disruption.md K-62): emptyDir sizeLimit, and ephemeral-storage of
// containers. Measures; the pod worker acts.
//
// A container of an image writes to a layer, which counts with its logs. One on the host's root has
// none: what it may write is the pod's working directory, which counts for the pod as a whole, or
// for its only container.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "env/files.h"
#include "node/pod/pod_files.h"
#include "node/pod/pod_spec_view.h"

namespace windlass::node {

// In bytes.
struct StorageUse {
  std::map<std::string, uint64_t> empty_dirs;  // by volume
  std::map<std::string, uint64_t> logs;        // by container, with its layer
  uint64_t work = 0;
  uint64_t entries = 0;  // files and directories, of all of it
};

StorageUse measure_storage(env::Files& files, const PodFiles& pod_files, const PodSpecView& spec);

bool has_storage_limits(const PodSpecView& spec);

// The message of the eviction, or nothing when all is within its limits.
std::optional<std::string> exceeded_limit(const PodSpecView& spec, const StorageUse& use);

}  // namespace windlass::node
