// Kinds that need little or nothing beyond the generic rules.
#include "apiserver/strategies.h"
#include "schema/coordination/v1/lease.pb.h"

namespace windlass::apiserver {
namespace {

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
