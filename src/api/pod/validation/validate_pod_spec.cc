#include "api/pod/validation/validate_pod_spec.h"

#include <set>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "api/validate_metadata.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::Pod;
using core::v1::PodSpec;

// One of the names, or Required when it is empty.
void validate_choice(FieldErrors& errors, const FieldPath& path, std::string_view name,
                     const std::string& value, std::initializer_list<std::string_view> choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) {
    return;
  }
  if (value.empty()) {
    errors.required(path.child(name));
  } else {
    errors.not_supported(path.child(name), value, choices);
  }
}

void validate_optional_name(FieldErrors& errors, const FieldPath& path, std::string_view name,
                            const std::string& value, NameCheck check) {
  if (value.empty()) {
    return;
  }
  if (const auto problems = check(value); !problems.empty()) {
    add_problems(errors, path.child(name), value, problems);
  }
}

void validate_all_containers(FieldErrors& errors, const FieldPath& path, const PodSpec& spec,
                             const Pod* pod) {
  const ValidVolumes volumes = validate_volumes(errors, path.child("volumes"), spec.volumes(), pod);
  const ContainerContext context{spec, volumes};
  validate_containers(errors, path.child("containers"), context);
  validate_init_containers(errors, path.child("initContainers"), context);
}

void validate_gates(FieldErrors& errors, const FieldPath& path, const PodSpec& spec) {
  for (int i = 0; i < spec.readiness_gates_size(); ++i) {
    const std::string& type = spec.readiness_gates(i).condition_type();
    add_problems(errors, path.child("readinessGates").index(as_index(i)).child("conditionType"),
                 type, check_qualified_name(type));
  }
  std::set<std::string_view> names;
  for (int i = 0; i < spec.scheduling_gates_size(); ++i) {  // P43
    const std::string& name = spec.scheduling_gates(i).name();
    const FieldPath gate = path.child("schedulingGates").index(as_index(i));
    add_problems(errors, gate, name, check_qualified_name(name));
    if (!names.insert(name).second) {
      errors.duplicate(gate, name);
    }
  }
}

void validate_placement(FieldErrors& errors, const FieldPath& path, const PodSpec& spec,
                        bool is_pod) {
  validate_host_network_ports(errors, path, spec, is_pod);
  validate_choice(errors, path, "restartPolicy", spec.restart_policy(),
                  {"Always", "OnFailure", "Never"});  // P39
  validate_choice(errors, path, "dnsPolicy", spec.dns_policy(),
                  {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  validate_labels(errors, path.child("nodeSelector"), spec.node_selector());
  if (spec.has_security_context()) {
    validate_pod_security(errors, path.child("securityContext"), spec);
  }
  if (spec.has_affinity()) {
    validate_affinity(errors, path.child("affinity"), spec.affinity());
  }
  validate_dns_config(errors, path.child("dnsConfig"), spec);
  validate_gates(errors, path, spec);
  if (!spec.topology_spread_constraints().empty()) {
    validate_topology_spread(errors, path.child("topologySpreadConstraints"),
                             spec.topology_spread_constraints());
  }
  validate_host_users(errors, path, spec);
  validate_hostname_override(errors, path, spec);
}

// P40, P41
void validate_names_and_deadline(FieldErrors& errors, const FieldPath& path, const PodSpec& spec) {
  validate_optional_name(errors, path, "serviceAccountName", spec.service_account_name(),
                         check_dns1123_subdomain);
  validate_optional_name(errors, path, "nodeName", spec.node_name(), check_dns1123_subdomain);
  const int64_t deadline = spec.active_deadline_seconds();
  if (spec.has_active_deadline_seconds() && (deadline < 1 || deadline > kMaxDeadlineSeconds)) {
    errors.invalid(path.child("activeDeadlineSeconds"), BadValue::number(deadline),
                   "must be between 1 and 2147483647, inclusive");
  }
  validate_optional_name(errors, path, "hostname", spec.hostname(), check_dns1123_label);
  validate_optional_name(errors, path, "subdomain", spec.subdomain(), check_dns1123_label);
}

void validate_scheduling(FieldErrors& errors, const FieldPath& path, const PodSpec& spec) {
  if (!spec.tolerations().empty()) {
    validate_tolerations(errors, path.child("tolerations"), spec.tolerations());
  }
  if (!spec.host_aliases().empty()) {
    validate_host_aliases(errors, path.child("hostAliases"), spec);
  }
  validate_optional_name(errors, path, "priorityClassName", spec.priority_class_name(),
                         check_dns1123_subdomain);
  if (spec.has_runtime_class_name()) {
    add_problems(errors, path.child("runtimeClassName"), spec.runtime_class_name(),
                 check_dns1123_subdomain(spec.runtime_class_name()));
  }
  if (spec.has_preemption_policy()) {
    validate_choice(errors, path, "preemptionPolicy", spec.preemption_policy(),
                    {"PreemptLowerPriority", "Never"});  // P43
  }
  if (!spec.overhead().empty()) {
    validate_overhead(errors, path.child("overhead"), spec);
  }
  const std::string& os = spec.os().name();
  if (spec.has_os() && os.empty()) {
    errors.required(path.child("os").child("name"));
  } else if (spec.has_os() && os != "linux" && os != "windows") {
    errors.not_supported(path.child("os"), os, {"linux", "windows"});
  }
}

// `pod` is nullptr for a template.
void validate_spec(FieldErrors& errors, const FieldPath& path, const PodSpec& spec,
                   const Pod* pod) {
  if (!spec.has_termination_grace_period_seconds()) {
    errors.required(path.child("terminationGracePeriodSeconds"));
  }
  validate_all_containers(errors, path, spec, pod);
  if (spec.has_resources()) {
    validate_pod_resources(errors, path.child("resources"), spec);
  }
  validate_placement(errors, path, spec, pod != nullptr);
  validate_names_and_deadline(errors, path, spec);
  validate_scheduling(errors, path, spec);
  validate_file_key_volumes(errors, path, spec);
}

// P32; a template may hold such an image, its pods may not.
void validate_image_blanks(FieldErrors& errors, const FieldPath& path,
                           const Repeated<Container>& containers) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  for (int i = 0; i < containers.size(); ++i) {
    const std::string& image = containers[i].image();
    if (!image.empty() && (kBlanks.find(image.front()) != std::string_view::npos ||
                           kBlanks.find(image.back()) != std::string_view::npos)) {
      errors.invalid(path.index(as_index(i)).child("image"), image,
                     "must not have leading or trailing whitespace");
    }
  }
}

void forbid_tokens_without_account(FieldErrors& errors, const FieldPath& path,
                                   const PodSpec& spec) {
  for (int i = 0; i < spec.volumes_size(); ++i) {
    const auto& sources = spec.volumes(i).volume_source().projected().sources();
    for (int j = 0; j < sources.size(); ++j) {
      if (sources[j].has_service_account_token()) {
        const FieldPath projected = path.child("volumes").index(as_index(i)).child("projected");
        errors.forbidden(projected.child("sources").index(as_index(j)).child("serviceAccountToken"),
                         "must not be specified when serviceAccountName is not set");
      }
    }
  }
}

}  // namespace

void validate_pod_template_spec(FieldErrors& errors, const FieldPath& path,
                                const core::v1::PodTemplateSpec& pod_template) {
  validate_labels(errors, path.child("labels"), pod_template.metadata().labels());
  validate_annotations(errors, path.child("annotations"), pod_template.metadata().annotations());
  const FieldPath spec_path = path.child("spec");
  validate_spec(errors, spec_path, pod_template.spec(), nullptr);
  if (!pod_template.spec().ephemeral_containers().empty()) {
    errors.forbidden(spec_path.child("ephemeralContainers"),
                     "ephemeral containers not allowed in pod template");
  }
}

void validate_pod_metadata_and_spec(FieldErrors& errors, const Pod& pod) {
  const FieldPath path("spec");
  const PodSpec& spec = pod.spec();
  validate_object_meta(errors, FieldPath("metadata"), pod.metadata(), true,
                       check_dns1123_subdomain);
  validate_spec(errors, path, spec, &pod);
  if (spec.service_account_name().empty()) {
    forbid_tokens_without_account(errors, path, spec);
  }
  validate_image_blanks(errors, path.child("containers"), spec.containers());
  validate_image_blanks(errors, path.child("initContainers"), spec.init_containers());
}

void validate_pod(FieldErrors& errors, const Pod& pod) {
  const FieldPath path("spec");
  validate_pod_metadata_and_spec(errors, pod);
  if (!pod.spec().ephemeral_containers().empty()) {
    errors.forbidden(path.child("ephemeralContainers"), "cannot be set on create");
  }
  if (!pod.spec().node_name().empty() && !pod.spec().scheduling_gates().empty()) {
    errors.forbidden(path.child("nodeName"),
                     "cannot be set until all schedulingGates have been cleared");
  }
}

}  // namespace windlass::api
