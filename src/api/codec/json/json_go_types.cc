// The names Go's type system has for what the schema calls string, list or map: users see them in
// decoding errors (api.md M31), and search for them.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <array>

#include "api/codec/json/json_path.h"

namespace windlass::api {
namespace {

struct NamedType {
  std::string_view field;  // Message.jsonName
  std::string_view type;   // of a value, or of the items of a list; the whole of a map
};

// Sorted by field.
constexpr std::array kNamedTypes = {
    NamedType{"AppArmorProfile.type", "v1.AppArmorProfileType"},
    NamedType{"AttachedVolume.name", "v1.UniqueVolumeName"},
    NamedType{"AzureDiskVolumeSource.cachingMode", "v1.AzureDataDiskCachingMode"},
    NamedType{"AzureDiskVolumeSource.kind", "v1.AzureDataDiskKind"},
    NamedType{"Capabilities.add", "v1.Capability"},
    NamedType{"Capabilities.drop", "v1.Capability"},
    NamedType{"Condition.status", "v1.ConditionStatus"},
    NamedType{"ConfigMapNodeConfigSource.uid", "types.UID"},
    NamedType{"Container.imagePullPolicy", "v1.PullPolicy"},
    NamedType{"Container.restartPolicy", "v1.ContainerRestartPolicy"},
    NamedType{"Container.terminationMessagePolicy", "v1.TerminationMessagePolicy"},
    NamedType{"ContainerPort.protocol", "v1.Protocol"},
    NamedType{"ContainerResizePolicy.resourceName", "v1.ResourceName"},
    NamedType{"ContainerResizePolicy.restartPolicy", "v1.ResourceResizeRestartPolicy"},
    NamedType{"ContainerRestartRule.action", "v1.ContainerRestartRuleAction"},
    NamedType{"ContainerRestartRuleOnExitCodes.operator",
              "v1.ContainerRestartRuleOnExitCodesOperator"},
    NamedType{"ContainerStatus.allocatedResources", "v1.ResourceList"},
    NamedType{"ContainerStatus.stopSignal", "v1.Signal"},
    NamedType{"DeleteOptions.propagationPolicy", "v1.DeletionPropagation"},
    NamedType{"EmptyDirVolumeSource.medium", "v1.StorageMedium"},
    NamedType{"EphemeralContainerCommon.imagePullPolicy", "v1.PullPolicy"},
    NamedType{"EphemeralContainerCommon.restartPolicy", "v1.ContainerRestartPolicy"},
    NamedType{"EphemeralContainerCommon.terminationMessagePolicy", "v1.TerminationMessagePolicy"},
    NamedType{"FieldSelectorRequirement.operator", "v1.FieldSelectorOperator"},
    NamedType{"GRPCAction.mode", "v1.GRPCProbeMode"},
    NamedType{"HTTPGetAction.protocol", "v1.HTTPProtocol"},
    NamedType{"HTTPGetAction.scheme", "v1.URIScheme"},
    NamedType{"HostPathVolumeSource.type", "v1.HostPathType"},
    NamedType{"ImageVolumeSource.pullPolicy", "v1.PullPolicy"},
    NamedType{"JobCondition.status", "v1.ConditionStatus"},
    NamedType{"JobCondition.type", "v1.JobConditionType"},
    NamedType{"JobSpec.completionMode", "v1.CompletionMode"},
    NamedType{"JobSpec.podReplacementPolicy", "v1.PodReplacementPolicy"},
    NamedType{"LabelSelectorRequirement.operator", "v1.LabelSelectorOperator"},
    NamedType{"LeaseSpec.strategy", "v1.CoordinatedLeaseStrategy"},
    NamedType{"Lifecycle.stopSignal", "v1.Signal"},
    NamedType{"LoadBalancerIngress.ipMode", "v1.LoadBalancerIPMode"},
    NamedType{"ManagedFieldsEntry.operation", "v1.ManagedFieldsOperationType"},
    NamedType{"NamespaceCondition.status", "v1.ConditionStatus"},
    NamedType{"NamespaceCondition.type", "v1.NamespaceConditionType"},
    NamedType{"NamespaceSpec.finalizers", "v1.FinalizerName"},
    NamedType{"NamespaceStatus.phase", "v1.NamespacePhase"},
    NamedType{"NodeAddress.type", "v1.NodeAddressType"},
    NamedType{"NodeAllocatableMappedResources.name", "v1.ResourceName"},
    NamedType{"NodeAllocatableOverheadResources.name", "v1.ResourceName"},
    NamedType{"NodeCondition.status", "v1.ConditionStatus"},
    NamedType{"NodeCondition.type", "v1.NodeConditionType"},
    NamedType{"NodeSelectorRequirement.operator", "v1.NodeSelectorOperator"},
    NamedType{"NodeStatus.allocatable", "v1.ResourceList"},
    NamedType{"NodeStatus.capacity", "v1.ResourceList"},
    NamedType{"NodeStatus.phase", "v1.NodePhase"},
    NamedType{"NodeStatus.volumesInUse", "v1.UniqueVolumeName"},
    NamedType{"ObjectMeta.uid", "types.UID"},
    NamedType{"ObjectReference.uid", "types.UID"},
    NamedType{"OwnerReference.uid", "types.UID"},
    NamedType{"PersistentVolumeClaimSpec.accessModes", "v1.PersistentVolumeAccessMode"},
    NamedType{"PersistentVolumeClaimSpec.volumeMode", "v1.PersistentVolumeMode"},
    NamedType{"PodCondition.status", "v1.ConditionStatus"},
    NamedType{"PodCondition.type", "v1.PodConditionType"},
    NamedType{"PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy",
              "v1.UnhealthyPodEvictionPolicyType"},
    NamedType{"PodFailurePolicyOnExitCodesRequirement.operator",
              "v1.PodFailurePolicyOnExitCodesOperator"},
    NamedType{"PodFailurePolicyOnPodConditionsPattern.status", "v1.ConditionStatus"},
    NamedType{"PodFailurePolicyOnPodConditionsPattern.type", "v1.PodConditionType"},
    NamedType{"PodFailurePolicyRule.action", "v1.PodFailurePolicyAction"},
    NamedType{"PodOS.name", "v1.OSName"},
    NamedType{"PodReadinessGate.conditionType", "v1.PodConditionType"},
    NamedType{"PodSecurityContext.fsGroupChangePolicy", "v1.PodFSGroupChangePolicy"},
    NamedType{"PodSecurityContext.seLinuxChangePolicy", "v1.PodSELinuxChangePolicy"},
    NamedType{"PodSecurityContext.supplementalGroupsPolicy", "v1.SupplementalGroupsPolicy"},
    NamedType{"PodSpec.dnsPolicy", "v1.DNSPolicy"},
    NamedType{"PodSpec.overhead", "v1.ResourceList"},
    NamedType{"PodSpec.preemptionPolicy", "v1.PreemptionPolicy"},
    NamedType{"PodSpec.restartPolicy", "v1.RestartPolicy"},
    NamedType{"PodStatus.allocatedResources", "v1.ResourceList"},
    NamedType{"PodStatus.phase", "v1.PodPhase"},
    NamedType{"PodStatus.qosClass", "v1.PodQOSClass"},
    NamedType{"PodStatus.resize", "v1.PodResizeStatus"},
    NamedType{"PortStatus.protocol", "v1.Protocol"},
    NamedType{"Preconditions.uid", "types.UID"},
    NamedType{"PriorityClass.preemptionPolicy", "v1.PreemptionPolicy"},
    NamedType{"ResourceHealth.health", "v1.ResourceHealthStatus"},
    NamedType{"ResourceHealth.resourceID", "v1.ResourceID"},
    NamedType{"ResourceRequirements.limits", "v1.ResourceList"},
    NamedType{"ResourceRequirements.requests", "v1.ResourceList"},
    NamedType{"ResourceStatus.name", "v1.ResourceName"},
    NamedType{"SeccompProfile.type", "v1.SeccompProfileType"},
    NamedType{"Secret.type", "v1.SecretType"},
    NamedType{"SecurityContext.procMount", "v1.ProcMountType"},
    NamedType{"ServicePort.protocol", "v1.Protocol"},
    NamedType{"ServiceSpec.externalTrafficPolicy", "v1.ServiceExternalTrafficPolicy"},
    NamedType{"ServiceSpec.internalTrafficPolicy", "v1.ServiceInternalTrafficPolicy"},
    NamedType{"ServiceSpec.ipFamilies", "v1.IPFamily"},
    NamedType{"ServiceSpec.ipFamilyPolicy", "v1.IPFamilyPolicy"},
    NamedType{"ServiceSpec.sessionAffinity", "v1.ServiceAffinity"},
    NamedType{"ServiceSpec.type", "v1.ServiceType"},
    NamedType{"Status.reason", "v1.StatusReason"},
    NamedType{"StatusCause.reason", "v1.CauseType"},
    NamedType{"StatusDetails.uid", "types.UID"},
    NamedType{"Taint.effect", "v1.TaintEffect"},
    NamedType{"Toleration.effect", "v1.TaintEffect"},
    NamedType{"Toleration.operator", "v1.TolerationOperator"},
    NamedType{"TopologySpreadConstraint.nodeAffinityPolicy", "v1.NodeInclusionPolicy"},
    NamedType{"TopologySpreadConstraint.nodeTaintsPolicy", "v1.NodeInclusionPolicy"},
    NamedType{"TopologySpreadConstraint.whenUnsatisfiable", "v1.UnsatisfiableConstraintAction"},
    NamedType{"UncountedTerminatedPods.failed", "types.UID"},
    NamedType{"UncountedTerminatedPods.succeeded", "types.UID"},
    NamedType{"VolumeHealthCondition.status", "v1.VolumeHealthStatusType"},
    NamedType{"VolumeMount.mountPropagation", "v1.MountPropagationMode"},
    NamedType{"VolumeMount.recursiveReadOnly", "v1.RecursiveReadOnlyMode"},
    NamedType{"VolumeMountStatus.recursiveReadOnly", "v1.RecursiveReadOnlyMode"},
    NamedType{"VolumeResourceRequirements.limits", "v1.ResourceList"},
    NamedType{"VolumeResourceRequirements.requests", "v1.ResourceList"},
};

std::string_view named_type(const JsonField& field) {
  std::string name = field.descriptor->containing_type()->name() + "." + field.name;
  const auto* found = std::lower_bound(
      kNamedTypes.begin(), kNamedTypes.end(), name,
      [](const NamedType& entry, const std::string& wanted) { return entry.field < wanted; });
  return found != kNamedTypes.end() && found->field == name ? found->type : std::string_view();
}

std::string plain_type(const JsonField& field) {
  switch (field.kind) {
    case JsonKind::boolean:
      return "bool";
    case JsonKind::int32:
    case JsonKind::int_or_string:  // a JSON number is read as one
      return "int32";
    case JsonKind::int64:
      return "int64";
    case JsonKind::string:
    case JsonKind::time:  // both are read as a string first
    case JsonKind::micro_time:
      return "string";
    case JsonKind::bytes:
      return "[]uint8";
    case JsonKind::quantity:
      return "resource.Quantity";
    case JsonKind::object:
    case JsonKind::raw_json:
      break;
  }
  return "v1." + field.prototype->GetDescriptor()->name();
}

}  // namespace

std::string go_item_type_of(const JsonField& field) {
  std::string_view named = named_type(field);
  return named.empty() || field.shape == JsonShape::map ? plain_type(field) : std::string(named);
}

std::string go_type_of(const JsonField& field) {
  std::string_view named = named_type(field);
  switch (field.shape) {
    case JsonShape::single:
      return go_item_type_of(field);
    case JsonShape::list:
      return "[]" + go_item_type_of(field);
    case JsonShape::map:
      break;
  }
  return named.empty() ? "map[string]" + plain_type(field) : std::string(named);
}

}  // namespace windlass::api
