// Containers and init containers (api.md P30-P33, P44).
#include <set>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;

constexpr std::string_view kOnlySidecars =
    "may not be set for init containers without restartPolicy=Always";

void validate_name_and_image(FieldErrors& errors, const FieldPath& path,
                             const Container& container) {
  if (container.name().empty()) {
    errors.required(path.child("name"));
  } else if (const auto problems = check_dns1123_label(container.name()); !problems.empty()) {
    add_problems(errors, path.child("name"), container.name(), problems);
  }
  if (container.image().empty()) {
    errors.required(path.child("image"));
  }
  const std::string& policy = container.termination_message_policy();
  if (policy.empty()) {
    errors.required(path.child("terminationMessagePolicy"));
  } else if (policy != "File" && policy != "FallbackToLogsOnError") {
    errors.not_supported(path.child("terminationMessagePolicy"), policy,
                         {"File", "FallbackToLogsOnError"});
  }
}

void validate_resize_policy(FieldErrors& errors, const FieldPath& path, const Container& container,
                            const std::string& pod_restart_policy) {
  std::set<std::string_view> resources;
  for (int i = 0; i < container.resize_policy_size(); ++i) {
    const std::string& resource = container.resize_policy(i).resource_name();
    const std::string& policy = container.resize_policy(i).restart_policy();
    if (!resources.insert(resource).second) {
      errors.duplicate(path.index(as_index(i)), resource);
    }
    if (resource.empty()) {
      errors.required(path);
    } else if (resource != "cpu" && resource != "memory") {
      errors.not_supported(path, resource, {"cpu", "memory"});
    }
    if (policy.empty()) {
      errors.required(path);
    } else if (policy != "NotRequired" && policy != "RestartContainer") {
      errors.not_supported(path, policy, {"NotRequired", "RestartContainer"});
    }
    if (pod_restart_policy == "Never" && policy != "NotRequired") {
      errors.invalid(path, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

void validate_common(FieldErrors& errors, const FieldPath& path, const Container& container,
                     const ContainerContext& context) {
  validate_name_and_image(errors, path, container);
  if (!container.ports().empty()) {
    validate_ports(errors, path.child("ports"), container.ports());
  }
  if (!container.env().empty()) {
    validate_env(errors, path.child("env"), container.env());
  }
  if (!container.env_from().empty()) {
    validate_env_from(errors, path.child("envFrom"), container.env_from());
  }
  validate_mounts_and_devices(errors, path, container, context.volumes);
  validate_pull_policy(errors, path.child("imagePullPolicy"), container.image_pull_policy());
  if (container.has_resources()) {
    validate_container_resources(errors, path.child("resources"), container.resources());
  }
  if (!container.resize_policy().empty()) {
    validate_resize_policy(errors, path.child("resizePolicy"), container,
                           context.spec.restart_policy());
  }
  if (container.has_security_context()) {
    const bool host_users = !context.spec.has_host_users() || context.spec.host_users();
    validate_container_security(errors, path.child("securityContext"), container.security_context(),
                                host_users);
  }
}

void validate_hooks_and_probes(FieldErrors& errors, const FieldPath& path,
                               const Container& container, const ContainerContext& context) {
  if (container.has_lifecycle()) {
    validate_lifecycle(errors, path.child("lifecycle"), container.lifecycle(), context.spec);
  }
  validate_probes(errors, path, container);
}

// P44
void forbid_hooks_and_probes(FieldErrors& errors, const FieldPath& path,
                             const Container& container) {
  if (container.has_lifecycle()) {
    errors.forbidden(path.child("lifecycle"), kOnlySidecars);
  }
  if (container.has_liveness_probe()) {
    errors.forbidden(path.child("livenessProbe"), kOnlySidecars);
  }
  if (container.has_readiness_probe()) {
    errors.forbidden(path.child("readinessProbe"), kOnlySidecars);
  }
  if (container.has_startup_probe()) {
    errors.forbidden(path.child("startupProbe"), kOnlySidecars);
  }
}

void forbid_restart_on_resize(FieldErrors& errors, const FieldPath& path,
                              const Container& container) {
  for (int i = 0; i < container.resize_policy_size(); ++i) {
    const std::string& policy = container.resize_policy(i).restart_policy();
    if (policy == "RestartContainer") {
      errors.invalid(path.child("resizePolicy").index(as_index(i)).child("restartPolicy"), policy,
                     "must not be set to 'RestartContainer' for non-sidecar initContainers");
    }
  }
}

}  // namespace

void validate_pull_policy(FieldErrors& errors, const FieldPath& path, const std::string& policy) {
  if (policy.empty()) {
    errors.required(path);
  } else if (policy != "Always" && policy != "IfNotPresent" && policy != "Never") {
    errors.not_supported(path, policy, {"Always", "IfNotPresent", "Never"});
  }
}

void validate_containers(FieldErrors& errors, const FieldPath& path,
                         const ContainerContext& context) {
  const Repeated<Container>& containers = context.spec.containers();
  if (containers.empty()) {
    errors.required(path);
    return;
  }
  std::set<std::string_view> names;
  for (int i = 0; i < containers.size(); ++i) {
    const Container& container = containers[i];
    const FieldPath item = path.index(as_index(i));
    validate_common(errors, item, container, context);
    if (!names.insert(container.name()).second) {
      errors.duplicate(item.child("name"), container.name());
    }
    validate_hooks_and_probes(errors, item, container, context);
    validate_container_restart(errors, item, container);
  }
  validate_host_ports(errors, path, containers);
}

void validate_init_containers(FieldErrors& errors, const FieldPath& path,
                              const ContainerContext& context) {
  const Repeated<Container>& containers = context.spec.init_containers();
  if (containers.empty()) {
    return;
  }
  std::set<std::string_view> names;
  for (const Container& container : context.spec.containers()) {
    names.insert(container.name());
  }
  for (int i = 0; i < containers.size(); ++i) {
    const Container& container = containers[i];
    const FieldPath item = path.index(as_index(i));
    const bool sidecar = container.restart_policy() == "Always";
    validate_common(errors, item, container, context);
    validate_container_restart(errors, item, container);
    if (names.contains(container.name())) {
      errors.duplicate(item.child("name"), container.name());
    } else if (!container.name().empty()) {
      names.insert(container.name());
    }
    // Init containers run one by one, so each is checked alone; Kubernetes then calls it the first.
    validate_host_ports(errors, path.index(0), container);
    if (sidecar) {
      validate_hooks_and_probes(errors, item, container, context);
    } else {
      forbid_hooks_and_probes(errors, item, container);
      forbid_restart_on_resize(errors, item, container);
    }
  }
}

}  // namespace windlass::api
