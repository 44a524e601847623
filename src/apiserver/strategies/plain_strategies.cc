// Kinds that need little or nothing beyond the generic rules.
#include "api/equality.h"
#include "api/generation.h"
#include "api/pod/defaults/default_pod.h"
#include "api/pod/validation/validate_pod_spec.h"
#include "api/pod/warnings/warnings_pod.h"
#include "apiserver/strategies/strategies.h"
#include "schema/coordination/v1/lease.pb.h"
#include "schema/core/v1/pod_template.pb.h"
#include "schema/core/v1/service_account.pb.h"

namespace windlass::apiserver {
namespace {

using api::coordination::v1::Lease;
using api::core::v1::PodTemplate;
using api::core::v1::ServiceAccount;

// N30.
class LeaseStrategy final : public Strategy {
 public:
  LeaseStrategy()
      : Strategy(api::kinds::lease(), {.unconditional_update = false, .create_on_update = true}) {}

  // Fields of coordinated leader election, which is not supported: not taken, but kept.
  void prepare_for_create(Message& object, const WriteContext&) const override {
    auto& spec = *as<Lease>(object).mutable_spec();
    spec.clear_strategy();
    spec.clear_preferred_holder();
  }
  void prepare_for_update(const Message& old_object, Message& object,
                          const WriteContext&) const override {
    const auto& old = as<Lease>(old_object).spec();
    auto& spec = *as<Lease>(object).mutable_spec();
    if (!old.has_strategy()) {
      spec.clear_strategy();
    }
    if (!old.has_preferred_holder()) {
      spec.clear_preferred_holder();
    }
  }

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
    const auto& spec = as<Lease>(object).spec();
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

class ServiceAccountStrategy final : public Strategy {
 public:
  ServiceAccountStrategy() : Strategy(service_account_kind(), {.delete_returns_object = true}) {}

  void prepare_for_create(Message& object, const WriteContext&) const override {
    keep_names_of_secrets(as<ServiceAccount>(object));
  }
  void prepare_for_update(const Message&, Message& object, const WriteContext&) const override {
    keep_names_of_secrets(as<ServiceAccount>(object));
  }
  api::FieldErrors validate_update(const Message& old, const Message& object) const override {
    api::FieldErrors errors = Strategy::validate_update(old, object);
    errors.append(validate_create(object));
    return errors;
  }

 private:
  // Nothing else of them means anything.
  static void keep_names_of_secrets(ServiceAccount& account) {
    for (api::core::v1::ObjectReference& secret : *account.mutable_secrets()) {
      const std::string name = secret.name();
      secret.Clear();
      secret.set_name(name);
    }
  }
};

class PodTemplateStrategy final : public Strategy {
 public:
  PodTemplateStrategy() : Strategy(pod_template_kind(), {.delete_returns_object = true}) {}

  void apply_defaults(Message& object, const Message*, const WriteContext&) const override {
    api::default_pod_template(*as<PodTemplate>(object).mutable_template_());
  }

  void prepare_for_create(Message& object, const WriteContext&) const override {
    as<PodTemplate>(object).mutable_metadata()->set_generation(1);
  }
  api::FieldErrors validate_create(const Message& object) const override {
    return with_template(Strategy::validate_create(object), object);
  }

  void prepare_for_update(const Message& old_object, Message& object,
                          const WriteContext&) const override {
    const auto& old = as<PodTemplate>(old_object);
    auto& changed = as<PodTemplate>(object);
    if (!api::semantically_equal(old.template_(), changed.template_())) {
      changed.mutable_metadata()->set_generation(api::next_generation(old.metadata().generation()));
    }
  }
  api::FieldErrors validate_update(const Message& old, const Message& object) const override {
    return with_template(Strategy::validate_update(old, object), object);
  }

  std::vector<std::string> warnings(const Message& object, const Message* old) const override {
    if (old != nullptr &&
        api::metadata_of(*old).generation() == api::metadata_of(object).generation()) {
      return {};
    }
    return api::pod_template_warnings(api::FieldPath("template"),
                                      as<PodTemplate>(object).template_());
  }

 private:
  static api::FieldErrors with_template(api::FieldErrors errors, const Message& object) {
    api::validate_pod_template_spec(errors, api::FieldPath("template"),
                                    as<PodTemplate>(object).template_());
    return errors;
  }
};

}  // namespace

const Strategy& lease_strategy() {
  static const LeaseStrategy strategy;
  return strategy;
}

const Strategy& service_account_strategy() {
  static const ServiceAccountStrategy strategy;
  return strategy;
}

const Strategy& pod_template_strategy() {
  static const PodTemplateStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
