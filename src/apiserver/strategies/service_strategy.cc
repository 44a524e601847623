// core/v1 Service: as much as default/kubernetes and clients that look for services need. Nothing
// here serves traffic, so a service has no address: clusterIP None.
#include "apiserver/strategies/strategies.h"
#include "schema/core/v1/service.pb.h"

namespace windlass::apiserver {
namespace {

using api::FieldErrors;
using api::FieldPath;
using api::core::v1::Service;
using api::core::v1::ServicePort;

constexpr int32_t kMaxPort = 65535;

void validate_ports(FieldErrors& errors, const Service& service) {
  const FieldPath path = FieldPath("spec").child("ports");
  for (int i = 0; i < service.spec().ports_size(); ++i) {
    const int32_t port = service.spec().ports(i).port();
    if (port < 1 || port > kMaxPort) {
      errors.invalid(path.index(static_cast<size_t>(i)).child("port"), api::BadValue::number(port),
                     "must be between 1 and 65535, inclusive");
    }
  }
}

class ServiceStrategy final : public Strategy {
 public:
  ServiceStrategy()
      : Strategy(service_kind(), {.has_status = true, .delete_returns_object = true}) {}

  void apply_defaults(Message& object, const Message*, const WriteContext&) const override {
    auto& spec = *as<Service>(object).mutable_spec();
    if (spec.type().empty()) {
      spec.set_type("ClusterIP");
    }
    if (spec.session_affinity().empty()) {
      spec.set_session_affinity("None");
    }
    if (spec.cluster_ip().empty()) {
      spec.set_cluster_ip("None");
    }
    for (ServicePort& port : *spec.mutable_ports()) {
      if (port.protocol().empty()) {
        port.set_protocol("TCP");
      }
      if (!port.has_target_port()) {
        port.mutable_target_port()->set_int_val(port.port());
      }
    }
  }
  void prepare_for_create(Message& object, const WriteContext&) const override {
    as<Service>(object).clear_status();
  }
  FieldErrors validate_create(const Message& object) const override {
    FieldErrors errors = Strategy::validate_create(object);
    validate_ports(errors, as<Service>(object));
    return errors;
  }

  void prepare_for_update(const Message& old, Message& object, const WriteContext&) const override {
    *as<Service>(object).mutable_status() = as<Service>(old).status();
  }
  FieldErrors validate_update(const Message& old, const Message& object) const override {
    FieldErrors errors = Strategy::validate_update(old, object);
    errors.append(validate_create(object));
    return errors;
  }
  void prepare_for_status_update(const Message& old, Message& object,
                                 const WriteContext&) const override {
    *as<Service>(object).mutable_spec() = as<Service>(old).spec();
  }

  std::optional<std::string> selectable(const Message& object,
                                        std::string_view field) const override {
    if (field == "spec.type") {
      return as<Service>(object).spec().type();
    }
    if (field == "spec.clusterIP") {
      return as<Service>(object).spec().cluster_ip();
    }
    return Strategy::selectable(object, field);
  }
  std::string unselectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }
};

}  // namespace

const Strategy& service_strategy() {
  static const ServiceStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
