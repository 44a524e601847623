// The parts of validate_pod_spec, one file each. `path` is always that of the second thing named:
// the list, the container, the volume. A part with nothing in it costs next to nothing; paths are
// made where there is something to look at.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_error.h"

namespace google::protobuf {
template <class Key, class T>
class Map;
template <class T>
class RepeatedPtrField;
}  // namespace google::protobuf

namespace windlass::api::core::v1 {
class Affinity;
class Container;
class ContainerPort;
class EnvFromSource;
class EnvVar;
class Lifecycle;
class NodeSelectorTerm;
class ObjectFieldSelector;
class Pod;
class PodSecurityContext;
class PodSpec;
class Probe;
class EphemeralVolumeSource;
class ProjectedVolumeSource;
class DownwardAPIVolumeFile;
class KeyToPath;
class ResourceFieldSelector;
class ResourceRequirements;
class SecurityContext;
class Taint;
class Toleration;
class TopologySpreadConstraint;
class Volume;
}  // namespace windlass::api::core::v1

namespace windlass::api::meta::v1 {
class LabelSelector;
class Quantity;
}  // namespace windlass::api::meta::v1

namespace windlass::api {

inline constexpr int64_t kMaxDeadlineSeconds = 2147483647;

template <class T>
using Repeated = google::protobuf::RepeatedPtrField<T>;

// The volumes that passed validation: what mounts may name.
class ValidVolumes {
 public:
  const core::v1::Volume* find(std::string_view name) const;
  void add(const core::v1::Volume& volume);

 private:
  std::map<std::string_view, const core::v1::Volume*> volumes_;
};

// What the rules of a container ask of the pod around it.
struct ContainerContext {
  const core::v1::PodSpec& spec;
  const ValidVolumes& volumes;
};

// validate_pod_spec.cc: what a create and an update have in common
void validate_pod_metadata_and_spec(FieldErrors& errors, const core::v1::Pod& pod);

// validate_volume.cc, validate_volume_claim.cc, validate_volume_files.cc
// `pod` is nullptr for a template: what its pods will be called is not known yet, and it may leave
// out what they must have.
ValidVolumes validate_volumes(FieldErrors& errors, const FieldPath& path,
                              const Repeated<core::v1::Volume>& volumes, const core::v1::Pod* pod);
void validate_ephemeral_volume(FieldErrors& errors, const FieldPath& path,
                               const core::v1::EphemeralVolumeSource& ephemeral);
void validate_projected_volume(FieldErrors& errors, const FieldPath& path,
                               const core::v1::ProjectedVolumeSource& source);
void validate_downward_file(FieldErrors& errors, const FieldPath& path,
                            const core::v1::DownwardAPIVolumeFile& file);
void validate_key_to_path(FieldErrors& errors, const FieldPath& path,
                          const core::v1::KeyToPath& item);
void validate_file_mode(FieldErrors& errors, const FieldPath& path, int32_t mode);
// Relative, and without `..`.
void validate_descending_path(FieldErrors& errors, const FieldPath& path, std::string_view target);
void validate_no_backsteps(FieldErrors& errors, const FieldPath& path, std::string_view target);

// validate_container.cc
void validate_pull_policy(FieldErrors& errors, const FieldPath& path, const std::string& policy);
void validate_containers(FieldErrors& errors, const FieldPath& path,
                         const ContainerContext& context);
void validate_init_containers(FieldErrors& errors, const FieldPath& path,
                              const ContainerContext& context);
// validate_container_ports.cc
void validate_ports(FieldErrors& errors, const FieldPath& path,
                    const Repeated<core::v1::ContainerPort>& ports);
void validate_host_ports(FieldErrors& errors, const FieldPath& path,
                         const Repeated<core::v1::Container>& containers);
void validate_host_ports(FieldErrors& errors, const FieldPath& path,
                         const core::v1::Container& container);
// validate_restart_policy.cc
void validate_container_restart(FieldErrors& errors, const FieldPath& path,
                                const core::v1::Container& container);

// validate_env.cc, validate_downward_ref.cc
void validate_env(FieldErrors& errors, const FieldPath& path,
                  const Repeated<core::v1::EnvVar>& variables);
void validate_env_from(FieldErrors& errors, const FieldPath& path,
                       const Repeated<core::v1::EnvFromSource>& sources);
void validate_file_key_volumes(FieldErrors& errors, const FieldPath& path,
                               const core::v1::PodSpec& spec);
enum class DownwardUse { env, volume };
void validate_field_ref(FieldErrors& errors, const FieldPath& path,
                        const core::v1::ObjectFieldSelector& reference, DownwardUse use);
void validate_resource_ref(FieldErrors& errors, const FieldPath& path,
                           const core::v1::ResourceFieldSelector& reference, DownwardUse use);

// validate_volume_mount.cc: mounts, then devices
void validate_mounts_and_devices(FieldErrors& errors, const FieldPath& path,
                                 const core::v1::Container& container, const ValidVolumes& volumes);

// validate_probe.cc
void validate_probes(FieldErrors& errors, const FieldPath& path,
                     const core::v1::Container& container);
void validate_lifecycle(FieldErrors& errors, const FieldPath& path,
                        const core::v1::Lifecycle& lifecycle, const core::v1::PodSpec& spec);

// validate_resources.cc
void validate_container_resources(FieldErrors& errors, const FieldPath& path,
                                  const core::v1::ResourceRequirements& resources);
// Of a pod that has spec.resources.
void validate_pod_resources(FieldErrors& errors, const FieldPath& path,
                            const core::v1::PodSpec& spec);
// Amounts alone, of a node's capacity; an amount's path is a child.
void validate_amounts(FieldErrors& errors, const FieldPath& path,
                      const google::protobuf::Map<std::string, meta::v1::Quantity>& resources);
void validate_overhead(FieldErrors& errors, const FieldPath& path, const core::v1::PodSpec& spec);

// validate_security.cc
void validate_container_security(FieldErrors& errors, const FieldPath& path,
                                 const core::v1::SecurityContext& security, bool host_users);
void validate_pod_security(FieldErrors& errors, const FieldPath& path,
                           const core::v1::PodSpec& spec);

// validate_affinity.cc, validate_topology_spread.cc, validate_label_keys.cc
void validate_affinity(FieldErrors& errors, const FieldPath& path,
                       const core::v1::Affinity& affinity);
void validate_topology_spread(FieldErrors& errors, const FieldPath& path,
                              const Repeated<core::v1::TopologySpreadConstraint>& constraints);
// `path` is that of the term or constraint; `selector` is nullptr where it has none.
void validate_label_keys(FieldErrors& errors, const FieldPath& path,
                         const Repeated<std::string>& match, const Repeated<std::string>& mismatch,
                         const meta::v1::LabelSelector* selector);
// validate_toleration.cc
void validate_tolerations(FieldErrors& errors, const FieldPath& path,
                          const Repeated<core::v1::Toleration>& tolerations);
// N3; also for nodes.
void validate_taints(FieldErrors& errors, const FieldPath& path,
                     const Repeated<core::v1::Taint>& taints);

// validate_pod_network.cc
// Those that are new must be addresses, and of each family there is one.
void validate_addresses(FieldErrors& errors, const FieldPath& path,
                        const std::vector<std::string>& addresses,
                        const std::vector<std::string>& old);
void validate_dns_config(FieldErrors& errors, const FieldPath& path, const core::v1::PodSpec& spec);
void validate_host_network_ports(FieldErrors& errors, const FieldPath& path,
                                 const core::v1::PodSpec& spec, bool is_pod);
void validate_host_users(FieldErrors& errors, const FieldPath& path, const core::v1::PodSpec& spec);
void validate_hostname_override(FieldErrors& errors, const FieldPath& path,
                                const core::v1::PodSpec& spec);
void validate_host_aliases(FieldErrors& errors, const FieldPath& path,
                           const core::v1::PodSpec& spec);

inline size_t as_index(int i) {
  return static_cast<size_t>(i);
}

}  // namespace windlass::api
