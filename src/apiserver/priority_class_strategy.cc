// scheduling.k8s.io/v1 PriorityClass: api.md N40, N41. That there is one default only (N42) is
// checked where the others can be seen, in admission.cc.
#include "apiserver/request_errors.h"
#include "apiserver/strategies.h"
#include "apiserver/system_objects.h"
#include "schema/scheduling/v1/priority_class.pb.h"

namespace windlass::apiserver {
namespace {

using api::FieldErrors;
using api::FieldPath;
using api::scheduling::v1::PriorityClass;

constexpr int32_t kMaxUserPriority = 1'000'000'000;
constexpr std::string_view kSystemPrefix = "system-";

class PriorityClassStrategy final : public Strategy {
 public:
  PriorityClassStrategy() : Strategy(priority_class_kind(), {}) {}

  void apply_defaults(Message& object, const Message*, const WriteContext&) const override {
    auto& made = as<PriorityClass>(object);
    if (!made.has_preemption_policy()) {
      made.set_preemption_policy("PreemptLowerPriority");
    }
  }
  void prepare_for_create(Message& object, const WriteContext&) const override {
    as<PriorityClass>(object).mutable_metadata()->set_generation(1);
  }
  FieldErrors validate_create(const Message& object) const override {
    FieldErrors errors = Strategy::validate_create(object);
    const auto& made = as<PriorityClass>(object);
    const std::string& name = made.metadata().name();
    const SystemPriorityClass* known = find_system_priority_class(name);
    if (name.starts_with(kSystemPrefix)) {
      if (known == nullptr || known->value != made.value()) {
        errors.forbidden(FieldPath("metadata").child("name"),
                         "priority class names with 'system-' prefix are reserved for system use "
                         "only. error: " +
                             name + " is not a known system priority class");
      }
    } else if (made.value() > kMaxUserPriority) {
      errors.forbidden(FieldPath("value"),
                       "maximum allowed value of a user defined priority is 1000000000");
    }
    const std::string& policy = made.preemption_policy();
    if (policy != "PreemptLowerPriority" && policy != "Never") {
      errors.not_supported(FieldPath("preemptionPolicy"), policy,
                           {"Never", "PreemptLowerPriority"});
    }
    return errors;
  }

  FieldErrors validate_update(const Message& old_object, const Message& object) const override {
    FieldErrors errors = Strategy::validate_update(old_object, object);
    const auto& old = as<PriorityClass>(old_object);
    const auto& changed = as<PriorityClass>(object);
    if (old.value() != changed.value()) {
      errors.forbidden(FieldPath("value"), "may not be changed in an update.");
    }
    if (old.preemption_policy() != changed.preemption_policy()) {
      errors.invalid(FieldPath("preemptionPolicy"), changed.preemption_policy(),
                     "field is immutable");
    }
    return errors;
  }

  std::optional<Status> forbid_delete(const Message& object) const override {
    const std::string& name = api::metadata_of(object).name();
    if (find_system_priority_class(name) == nullptr) {
      return std::nullopt;
    }
    return forbidden(resource_name(kind(), name),
                     "this is a system priority class and cannot be deleted");
  }
};

}  // namespace

const Strategy& priority_class_strategy() {
  static const PriorityClassStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
