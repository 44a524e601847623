// What a hollow node needs of a Pod object, as plain values: the part that never changes. Read only
// for pods that are bound to a hollow node and have not ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/time.h"
#include "node/pod/pod_spec_view.h"

namespace windlass::node::hollow {

inline constexpr std::string_view kAnnotationPrefix = "windlass.dev/hollow-";

struct ContainerSpec {
  std::string name;
  std::string image;
  bool sidecar = false;
};

struct PodSpec {
  std::string ns;
  std::string name;
  std::string uid;
  std::string node;
  std::string job;    // label batch.kubernetes.io/job-name
  std::string index;  // annotation batch.kubernetes.io/job-completion-index
  RestartPolicy restart_policy = RestartPolicy::always;
  Duration grace = seconds(30);
  std::optional<Duration> active_deadline;
  std::vector<ContainerSpec> init_containers;
  std::vector<ContainerSpec> containers;
  std::map<std::string, std::string, std::less<>> told;  // annotations, without the prefix
};

PodSpec read_pod_spec(const api::Message& pod);

}  // namespace windlass::node::hollow
