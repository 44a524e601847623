#include <fmt/format.h>

#include <map>
#include <set>

#include "api/pod/resource_names.h"
#include "api/pod/warnings/warnings_pod_parts.h"
#include "base/quantity.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::ContainerPort;
using core::v1::EnvVar;
using core::v1::PodSpec;

// Of one port and protocol, so many definitions are compared with every further one.
constexpr size_t kMaxCompared = 100;

// Init containers first, as Kubernetes visits them.
template <class Visit>
void visit_containers(const FieldPath& spec_path, const PodSpec& spec, Visit visit) {
  for (int i = 0; i < spec.init_containers_size(); ++i) {
    visit(spec_path.child("initContainers").index(static_cast<size_t>(i)), spec.init_containers(i));
  }
  for (int i = 0; i < spec.containers_size(); ++i) {
    visit(spec_path.child("containers").index(static_cast<size_t>(i)), spec.containers(i));
  }
}

void warn_about_fractions(PodWarnings& warnings, const FieldPath& path,
                          const core::v1::ResourceRequirements& resources) {
  static const std::string kMemory = "memory";
  static const std::string kStorage = "ephemeral-storage";
  warn_about_fraction(warnings, path.child("limits"), resources.limits(), kMemory);
  warn_about_fraction(warnings, path.child("requests"), resources.requests(), kMemory);
  warn_about_fraction(warnings, path.child("limits"), resources.limits(), kStorage);
  warn_about_fraction(warnings, path.child("requests"), resources.requests(), kStorage);
}

// A later variable of the same name is meant to build on the earlier one: `$(PATH):/more`.
bool extends_earlier(const EnvVar& variable) {
  const std::string reference = "$(" + variable.name() + ")";
  return !variable.has_value_from() && variable.value() != reference &&
         variable.value().find(reference) != std::string::npos;
}

void warn_about_hidden_env(PodWarnings& warnings, const FieldPath& path,
                           const Container& container) {
  std::set<std::string_view> names;
  for (int i = 0; i < container.env_size(); ++i) {
    const EnvVar& variable = container.env(i);
    if (!names.insert(variable.name()).second && !extends_earlier(variable)) {
      warnings.add(path.index(static_cast<size_t>(i)),
                   fmt::format("hides previous definition of {}, which may be dropped when using "
                               "apply",
                               go_quote(variable.name())));
    }
  }
}

struct SeenPort {
  FieldPath path;
  const ContainerPort* port;
};

// How two definitions of the same port and protocol get on; empty when they do.
std::string_view conflict_of(const ContainerPort& port, const ContainerPort& other) {
  if (port.host_ip() == other.host_ip() && port.host_port() == other.host_port()) {
    return "duplicate";
  }
  if (port.host_port() == 0 || other.host_port() == 0) {
    return "overlapping";
  }
  if (port.host_port() == other.host_port() && port.host_ip().empty() != other.host_ip().empty()) {
    return "dangerously ambiguous";
  }
  return {};
}

// As Go prints a port.
std::string port_text(const ContainerPort& port) {
  return fmt::format("{{Name:{} HostPort:{} ContainerPort:{} Protocol:{} HostIP:{}}}", port.name(),
                     port.host_port(), port.container_port(), port.protocol(), port.host_ip());
}

}  // namespace

void warn_about_fraction(PodWarnings& warnings, const FieldPath& path, const ResourceMap& resources,
                         const std::string& name) {
  const auto found = resources.find(name);
  if (found == resources.end()) {
    return;
  }
  const auto quantity = Quantity::parse(found->second.string());
  if (quantity && has_fraction(*quantity)) {
    warnings.add(path.key(name), fmt::format("fractional byte value {} is invalid, must be an "
                                             "integer",
                                             go_quote(quantity->to_string())));
  }
}

void warn_about_containers(PodWarnings& warnings, const FieldPath& spec_path, const PodSpec& spec) {
  visit_containers(spec_path, spec, [&](const FieldPath& path, const Container& container) {
    if (container.has_resources()) {
      warn_about_fractions(warnings, path.child("resources"), container.resources());
    }
    if (container.env_size() > 1) {
      warn_about_hidden_env(warnings, path.child("env"), container);
    }
  });
}

void warn_about_ports(PodWarnings& warnings, const FieldPath& spec_path, const PodSpec& spec) {
  std::map<std::pair<int32_t, std::string_view>, std::vector<SeenPort>> seen;
  visit_containers(spec_path, spec, [&](const FieldPath& path, const Container& container) {
    for (int i = 0; i < container.ports_size(); ++i) {
      const ContainerPort& port = container.ports(i);
      const FieldPath item = path.child("ports").index(static_cast<size_t>(i));
      if (!port.host_ip().empty() && port.host_port() == 0) {
        warnings.add(item, "hostIP set without hostPort: " + port_text(port));
      }
      auto& others = seen[{port.container_port(), port.protocol()}];
      for (const SeenPort& other : others) {
        const auto conflict = conflict_of(port, *other.port);
        if (!conflict.empty() && !warnings.full()) {
          warnings.add(item,
                       fmt::format("{} port definition with {}", conflict, other.path.text()));
        }
      }
      if (others.size() < kMaxCompared) {
        others.push_back({item, &port});
      }
    }
  });
  std::map<std::string_view, FieldPath> names;
  visit_containers(spec_path, spec, [&](const FieldPath& path, const Container& container) {
    for (int i = 0; i < container.ports_size(); ++i) {
      const std::string& name = container.ports(i).name();
      const FieldPath item = path.child("ports").index(static_cast<size_t>(i));
      if (name.empty()) {
        continue;
      }
      if (const auto [other, added] = names.emplace(name, item); !added) {
        warnings.add(item, fmt::format("duplicate port name {} with {}, services and probes that "
                                       "select ports by name will use {}",
                                       go_quote(name), other->second.text(), other->second.text()));
      }
    }
  });
}

}  // namespace windlass::api
