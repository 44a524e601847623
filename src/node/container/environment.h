// A container's environment and command line (api.md P3; the $(NAME) rules of the Kubernetes API).
// Pure functions. What cannot be resolved is an error for the container's status
// (CreateContainerConfigError), never an empty string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "node/container/expansion.h"
#include "node/images/image_defaults.h"
#include "node/pod/pod_objects.h"
#include "node/pod/pod_spec_view.h"

namespace windlass::node {

struct HostFacts {
  std::string host_ip;
  std::string pod_ip;
  // What every container gets unless it says otherwise: PATH and the like, as NAME=value.
  std::vector<std::string> base_environment;
  MilliAmounts allocatable;  // stands in for limits that are not set
};

struct ContainerCommand {
  std::vector<std::string> command;      // not empty
  std::vector<std::string> environment;  // NAME=value, sorted by name
  std::vector<MountPlan> mounts;         // with their subPath, however it was said
};

// A NotFound error names an object or a key that may yet come. One that is_start_refused
// (expansion.h) fails the run as the kernel would. Any other is for good.
Result<ContainerCommand> resolve_container(const PodSpecView& pod,
                                           const ContainerSpecView& container,
                                           const HostFacts& host, const PodObjects& objects = {},
                                           const ImageDefaults& image = {});

// The value of a field of the pod, as environments and downwardAPI volumes name it.
Result<std::string> field_text(const PodSpecView& pod, const HostFacts& host,
                               std::string_view path);
// The amount that entry.text names, of entry.container or `own`.
Result<std::string> resource_text(const PodSpecView& pod, const ContainerSpecView& own,
                                  const HostFacts& host, const EnvironmentEntry& entry);

}  // namespace windlass::node
