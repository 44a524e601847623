#include "node/hollow/pod_spec.h"

#include "base/time.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::node::hollow {

namespace {

namespace core = api::core::v1;

template <class Map>
std::string value_or_empty(const Map& map, const char* key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string() : found->second;
}

ContainerSpec read_container(const core::Container& container, bool init) {
  return {container.name(), container.image(), init && container.restart_policy() == "Always"};
}

}  // namespace

PodSpec read_pod_spec(const api::Message& message) {
  const auto& pod = static_cast<const core::Pod&>(message);
  const auto& metadata = pod.metadata();
  PodSpec spec;
  spec.ns = metadata.namespace_();
  spec.name = metadata.name();
  spec.uid = metadata.uid();
  spec.node = pod.spec().node_name();
  spec.job = value_or_empty(metadata.labels(), "batch.kubernetes.io/job-name");
  spec.index = value_or_empty(metadata.annotations(), "batch.kubernetes.io/job-completion-index");
  spec.restart_policy = api::read_restart_policy(pod.spec().restart_policy());
  if (pod.spec().has_termination_grace_period_seconds()) {
    spec.grace = bounded_seconds(pod.spec().termination_grace_period_seconds());
  }
  if (pod.spec().has_active_deadline_seconds()) {
    spec.active_deadline = bounded_seconds(pod.spec().active_deadline_seconds());
  }
  for (const core::Container& container : pod.spec().init_containers()) {
    spec.init_containers.push_back(read_container(container, true));
  }
  for (const core::Container& container : pod.spec().containers()) {
    spec.containers.push_back(read_container(container, false));
  }
  for (const auto& [key, value] : metadata.annotations()) {
    if (key.starts_with(kAnnotationPrefix)) {
      spec.told.emplace(key.substr(kAnnotationPrefix.size()), value);
    }
  }
  return spec;
}

}  // namespace windlass::node::hollow
