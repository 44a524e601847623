#include "api/pod/defaults/default_pod_parts.h"
#include "api/pod/image_name.h"
#include "schema/core/v1/container.pb.h"
#include "schema/core/v1/ephemeral_container.pb.h"

namespace windlass::api {
namespace {

void default_http_get(core::v1::HTTPGetAction& action) {
  if (action.path().empty()) {
    action.set_path("/");
  }
  if (action.scheme().empty()) {
    action.set_scheme("HTTP");
  }
}

// P14
void default_probe(core::v1::Probe& probe) {
  if (probe.timeout_seconds() == 0) {
    probe.set_timeout_seconds(1);
  }
  if (probe.period_seconds() == 0) {
    probe.set_period_seconds(10);
  }
  if (probe.success_threshold() == 0) {
    probe.set_success_threshold(1);
  }
  if (probe.failure_threshold() == 0) {
    probe.set_failure_threshold(3);
  }
  if (probe.handler().has_http_get()) {
    default_http_get(*probe.mutable_handler()->mutable_http_get());
  }
  if (probe.handler().has_grpc() && !probe.handler().grpc().has_service()) {
    probe.mutable_handler()->mutable_grpc()->set_service("");
  }
}

void default_env(core::v1::EnvVar& variable) {
  if (!variable.has_value_from()) {
    return;
  }
  core::v1::EnvVarSource& source = *variable.mutable_value_from();
  if (source.has_field_ref()) {
    default_field_ref(*source.mutable_field_ref());
  }
  if (source.has_resource_field_ref() && source.resource_field_ref().has_divisor()) {
    canonicalize_quantity(*source.mutable_resource_field_ref()->mutable_divisor());
  }
  if (source.has_file_key_ref() && !source.file_key_ref().has_optional()) {
    source.mutable_file_key_ref()->set_optional(false);
  }
}

// P12
template <class AnyContainer>
void default_image_and_messages(AnyContainer& container) {
  if (container.image_pull_policy().empty()) {
    container.set_image_pull_policy(image_tag(container.image()) == "latest" ? "Always"
                                                                             : "IfNotPresent");
  }
  if (container.termination_message_path().empty()) {
    container.set_termination_message_path("/dev/termination-log");
  }
  if (container.termination_message_policy().empty()) {
    container.set_termination_message_policy("File");
  }
}

template <class AnyContainer>
void default_probes_and_hooks(AnyContainer& container) {
  if (container.has_liveness_probe()) {
    default_probe(*container.mutable_liveness_probe());
  }
  if (container.has_readiness_probe()) {
    default_probe(*container.mutable_readiness_probe());
  }
  if (container.has_startup_probe()) {
    default_probe(*container.mutable_startup_probe());
  }
  if (container.lifecycle().post_start().has_http_get()) {
    default_http_get(*container.mutable_lifecycle()->mutable_post_start()->mutable_http_get());
  }
  if (container.lifecycle().pre_stop().has_http_get()) {
    default_http_get(*container.mutable_lifecycle()->mutable_pre_stop()->mutable_http_get());
  }
}

template <class AnyContainer>
void default_any_container(AnyContainer& container) {
  default_image_and_messages(container);
  for (core::v1::ContainerPort& port : *container.mutable_ports()) {
    if (port.protocol().empty()) {
      port.set_protocol("TCP");  // P13
    }
  }
  for (core::v1::EnvVar& variable : *container.mutable_env()) {
    default_env(variable);
  }
  if (container.has_resources()) {
    default_resources(*container.mutable_resources()->mutable_limits());
    default_resources(*container.mutable_resources()->mutable_requests());
  }
  default_probes_and_hooks(container);
}

}  // namespace

void default_container(core::v1::Container& container) {
  default_any_container(container);
}

void default_container(core::v1::EphemeralContainerCommon& container) {
  default_any_container(container);
}

void default_field_ref(core::v1::ObjectFieldSelector& field_ref) {
  if (field_ref.api_version().empty()) {
    field_ref.set_api_version("v1");
  }
}

}  // namespace windlass::api
