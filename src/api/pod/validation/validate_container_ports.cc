#include <fmt/format.h>

#include <set>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/container.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::ContainerPort;

constexpr std::string_view kPortRange = "must be between 1 and 65535, inclusive";

bool in_range(int32_t port) {
  return port >= 1 && port <= 65535;
}

void validate_numbers(FieldErrors& errors, const FieldPath& path, const ContainerPort& port) {
  if (port.container_port() == 0) {
    errors.required(path.child("containerPort"));
  } else if (!in_range(port.container_port())) {
    errors.invalid(path.child("containerPort"), BadValue::number(port.container_port()),
                   kPortRange);
  }
  if (port.host_port() != 0 && !in_range(port.host_port())) {
    errors.invalid(path.child("hostPort"), BadValue::number(port.host_port()), kPortRange);
  }
}

void collect_host_ports(FieldErrors& errors, const FieldPath& path, const Container& container,
                        std::set<std::string>& taken) {
  for (int i = 0; i < container.ports_size(); ++i) {
    const ContainerPort& port = container.ports(i);
    if (port.host_port() == 0) {
      continue;
    }
    const std::string text =
        fmt::format("{}/{}/{}", port.protocol(), port.host_ip(), port.host_port());
    if (!taken.insert(text).second) {
      errors.duplicate(path.child("ports").index(as_index(i)).child("hostPort"), text);
    }
  }
}

}  // namespace

void validate_ports(FieldErrors& errors, const FieldPath& path,
                    const Repeated<ContainerPort>& ports) {
  std::set<std::string_view> names;
  for (int i = 0; i < ports.size(); ++i) {
    const ContainerPort& port = ports[i];
    const FieldPath item = path.index(as_index(i));
    if (!port.name().empty()) {
      if (const auto problems = check_port_name(port.name()); !problems.empty()) {
        add_problems(errors, item.child("name"), port.name(), problems);
      } else if (!names.insert(port.name()).second) {
        errors.duplicate(item.child("name"), port.name());
      }
    }
    validate_numbers(errors, item, port);
    const std::string& protocol = port.protocol();
    if (protocol.empty()) {
      errors.required(item.child("protocol"));
    } else if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
      errors.not_supported(item.child("protocol"), protocol, {"SCTP", "TCP", "UDP"});
    }
  }
}

void validate_host_ports(FieldErrors& errors, const FieldPath& path,
                         const Repeated<Container>& containers) {
  std::set<std::string> taken;
  for (int i = 0; i < containers.size(); ++i) {
    collect_host_ports(errors, path.index(as_index(i)), containers[i], taken);
  }
}

void validate_host_ports(FieldErrors& errors, const FieldPath& path, const Container& container) {
  std::set<std::string> taken;
  collect_host_ports(errors, path, container, taken);
}

}  // namespace windlass::api
