#include "api/pod/defaults/default_pod.h"

#include "api/pod/defaults/default_pod_parts.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::Pod;
using core::v1::PodSpec;

constexpr int64_t kGracePeriodSeconds = 30;

// The two names of one field follow each other; the newer one wins.
void default_service_account(PodSpec& spec) {
  if (spec.service_account_name().empty() && !spec.service_account().empty()) {
    spec.set_service_account_name(spec.service_account());
  }
  if (spec.service_account() != spec.service_account_name()) {
    spec.set_service_account(spec.service_account_name());
  }
}

// P10
void default_spec_fields(PodSpec& spec) {
  if (spec.dns_policy().empty()) {
    spec.set_dns_policy("ClusterFirst");
  }
  if (spec.restart_policy().empty()) {
    spec.set_restart_policy("Always");
  }
  if (!spec.has_security_context()) {
    spec.mutable_security_context();
  }
  if (!spec.has_termination_grace_period_seconds()) {
    spec.set_termination_grace_period_seconds(kGracePeriodSeconds);
  }
  if (spec.scheduler_name().empty()) {
    spec.set_scheduler_name("default-scheduler");
  }
  default_service_account(spec);
}

void default_pod_spec(PodSpec& spec) {
  default_spec_fields(spec);
  for (core::v1::Volume& volume : *spec.mutable_volumes()) {
    default_volume(volume);
  }
  for (Container& container : *spec.mutable_init_containers()) {
    default_container(container);
  }
  for (Container& container : *spec.mutable_containers()) {
    default_container(container);
  }
  for (core::v1::EphemeralContainer& container : *spec.mutable_ephemeral_containers()) {
    default_container(*container.mutable_ephemeral_container_common());
  }
  default_resources(*spec.mutable_overhead());
  if (spec.has_resources()) {
    default_resources(*spec.mutable_resources()->mutable_limits());
    default_resources(*spec.mutable_resources()->mutable_requests());
  }
}

void default_requests(Container& container) {
  if (container.resources().limits().empty()) {
    return;
  }
  core::v1::ResourceRequirements& resources = *container.mutable_resources();
  for (const auto& [name, limit] : resources.limits()) {
    resources.mutable_requests()->insert({name, limit});
  }
}

void default_host_ports(Container& container) {
  for (core::v1::ContainerPort& port : *container.mutable_ports()) {
    if (port.host_port() == 0) {
      port.set_host_port(port.container_port());
    }
  }
}

// P11
void default_pod_container(Container& container, bool host_network) {
  default_requests(container);
  if (host_network) {
    default_host_ports(container);
  }
}

// P18
void default_pod_ips(core::v1::PodStatus& status) {
  if (!status.pod_ip().empty() &&
      (status.pod_ips().empty() || status.pod_ips(0).ip() != status.pod_ip())) {
    status.clear_pod_ips();
    status.add_pod_ips()->set_ip(status.pod_ip());
  } else if (status.pod_ip().empty() && !status.pod_ips().empty()) {
    status.set_pod_ip(status.pod_ips(0).ip());
  }
}

}  // namespace

void default_pod(Pod& pod) {
  PodSpec& spec = *pod.mutable_spec();
  default_pod_spec(spec);
  for (Container& container : *spec.mutable_containers()) {
    default_pod_container(container, spec.host_network());
  }
  for (Container& container : *spec.mutable_init_containers()) {
    default_pod_container(container, spec.host_network());
  }
  if (spec.has_resources()) {
    default_pod_resources(spec);
  }
  if (spec.termination_grace_period_seconds() < 0) {
    spec.set_termination_grace_period_seconds(1);
  }
  if (!spec.has_enable_service_links()) {
    spec.set_enable_service_links(true);
  }
  if (pod.has_status()) {
    default_pod_ips(*pod.mutable_status());
  }
}

void default_pod_template(core::v1::PodTemplateSpec& pod_template) {
  default_pod_spec(*pod_template.mutable_spec());
}

}  // namespace windlass::api
