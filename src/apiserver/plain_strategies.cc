// Kinds that need little or nothing beyond the generic rules.
#include "apiserver/strategies.h"
#include "schema/coordination/v1/lease.pb.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::apiserver {
namespace {

// N24.
std::optional<std::string> selectable_event_field(const api::core::v1::Event& event,
                                                  std::string_view field) {
  const auto& about = event.involved_object();
  if (field == "involvedObject.kind") {
    return about.kind();
  }
  if (field == "involvedObject.namespace") {
    return about.namespace_();
  }
  if (field == "involvedObject.name") {
    return about.name();
  }
  if (field == "involvedObject.uid") {
    return about.uid();
  }
  if (field == "involvedObject.apiVersion") {
    return about.api_version();
  }
  if (field == "involvedObject.resourceVersion") {
    return about.resource_version();
  }
  if (field == "involvedObject.fieldPath") {
    return about.field_path();
  }
  if (field == "reason") {
    return event.reason();
  }
  if (field == "reportingComponent") {
    return event.reporting_component();
  }
  if (field == "source") {
    return event.source().component().empty() ? event.reporting_component()
                                              : event.source().component();
  }
  if (field == "type") {
    return event.type();
  }
  return std::nullopt;
}

// api.md N21, N23.
class EventStrategy final : public Strategy {
 public:
  EventStrategy() : Strategy(api::kinds::event(), {.create_on_update = true}) {}

  api::FieldErrors validate_create(const Message& object) const override {
    api::FieldErrors errors = Strategy::validate_create(object);
    const auto& event = as<api::core::v1::Event>(object);
    const std::string& about = event.involved_object().namespace_();
    const std::string& ns = event.metadata().namespace_();
    const bool same = about == ns || (about.empty() && ns == "default");
    if (!event.has_event_time() && !same) {
      errors.invalid(api::FieldPath("involvedObject").child("namespace"), about,
                     "does not match event.namespace");
    }
    return errors;
  }

  std::optional<std::string> selectable(const Message& object,
                                        std::string_view field) const override {
    const auto value = selectable_event_field(as<api::core::v1::Event>(object), field);
    return value ? value : Strategy::selectable(object, field);
  }
  std::string unselectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }
};

// N30.
class LeaseStrategy final : public Strategy {
 public:
  LeaseStrategy()
      : Strategy(api::kinds::lease(), {.unconditional_update = false, .create_on_update = true}) {}

  api::FieldErrors validate_create(const Message& object) const override {
    api::FieldErrors errors = Strategy::validate_create(object);
    validate_spec(errors, object);
    return errors;
  }
  api::FieldErrors validate_update(const Message& old, const Message& object) const override {
    api::FieldErrors errors = Strategy::validate_update(old, object);
    validate_spec(errors, object);
    return errors;
  }

 private:
  static void validate_spec(api::FieldErrors& errors, const Message& object) {
    const auto& spec = as<api::coordination::v1::Lease>(object).spec();
    const api::FieldPath path("spec");
    if (spec.has_lease_duration_seconds() && spec.lease_duration_seconds() <= 0) {
      errors.invalid(path.child("leaseDurationSeconds"),
                     api::BadValue::number(spec.lease_duration_seconds()),
                     "must be greater than 0");
    }
    if (spec.has_lease_transitions() && spec.lease_transitions() < 0) {
      errors.invalid(path.child("leaseTransitions"),
                     api::BadValue::number(spec.lease_transitions()),
                     "must be greater than or equal to 0");
    }
  }
};

}  // namespace

const Strategy& event_strategy() {
  static const EventStrategy strategy;
  return strategy;
}

const Strategy& lease_strategy() {
  static const LeaseStrategy strategy;
  return strategy;
}

const Strategy& service_account_strategy() {
  static const Strategy strategy(service_account_kind(), {.delete_returns_object = true});
  return strategy;
}

const Strategy& pod_template_strategy() {
  static const Strategy strategy(pod_template_kind(), {.delete_returns_object = true});
  return strategy;
}

}  // namespace windlass::apiserver
